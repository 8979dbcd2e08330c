/* kernwright
[args]
m = "i32"
n = "i32"
x = "in u8[m, n]"
t = "scratch i32[m, n]"
y = "out i32[m, n]"
[check]
m = [0, 1, 7, 20]
n = [0, 1, 7, 33]
[time]
m = 100
n = 120
*/
void box(int m, int n, const unsigned char *x, int *t, int *y) {
  (void)t;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      int s = 0;
      for (int a = i - 4; a <= i + 4; ++a)
        for (int b = j - 4; b <= j + 4; ++b)
          if (a >= 0 && a < m && b >= 0 && b < n)
            s += x[a * n + b];
      y[i * n + j] = s;
    }
}
