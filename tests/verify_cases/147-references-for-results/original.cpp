/* kernwright
[args]
n = "i32"
x = "in i32[n]"
low = "inout i32[1]"
high = "inout i32[1]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
void range(int n, const int *x, int &low, int &high) {
  for (int i = 0; i < n; ++i)
    if (x[i] < low)
      low = x[i];
  for (int i = 0; i < n; ++i)
    if (x[i] > high)
      high = x[i];
}
