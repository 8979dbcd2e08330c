/* kernwright
[args]
m = "i32"
n = "i32"
ld = "i32"
x = "in i32[m * ld] in -1000..1000"
y = "out i32[m]"
[check]
m = [1, 7, 16]
n = [1, 7, 64]
ld = [8, 64, 72]
where = "n <= ld and n >= 1"
[time]
m = 64
n = 250
ld = 256
*/
void peaks(int m, int n, int ld, const int *x, int *y) {
  for (int i = 0; i < m; ++i) {
    int top = x[i * ld];
    for (int j = 1; j < n; ++j)
      if (x[i * ld + j] > top)
        top = x[i * ld + j];
    y[i] = top;
  }
}
