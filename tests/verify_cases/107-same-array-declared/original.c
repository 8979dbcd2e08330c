/* kernwright
[args]
n = "i32"
x = "in i32[n] in -1000..1000"
y = "out i32[n]"
[check]
n = [0, 1, 7, 64, 1000]
overlap = [["x", "y"]]
[time]
n = 50_000
*/
void smooth(int n, const int *x, int *y) {
  for (int i = 0; i < n; ++i) {
    int a = x[i], s = 0;
    for (int k = 1; k <= 8; ++k)
      s += a / k;
    y[i] = s;
  }
}
