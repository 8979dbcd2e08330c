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
void twice(int n, const int *x, int *y) {
  for (int i = 0; i < n; ++i)
    y[i] = 2 * x[i];
}
