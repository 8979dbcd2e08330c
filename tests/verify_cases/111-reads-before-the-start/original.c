/* kernwright
[args]
n = "i32"
x = "in i32[n]"
y = "out i32[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
void steps(int n, const int *x, int *y) {
  if (n > 0)
    y[0] = x[0];
  for (int i = 1; i < n; ++i)
    y[i] = x[i] - x[i - 1];
}
