/* kernwright
[args]
m = "i32"
n = "i32"
a = "in f32[m][n] in -1..1"
y = "out f32[n]"
[check]
m = [0, 1, 7, 33]
n = [0, 1, 7, 64]
[time]
m = 300
n = 500
*/
void columns(int m, int n, float **a, float *y) {
  for (int j = 0; j < n; ++j) {
    float s = 0;
    for (int i = 0; i < m; ++i)
      s += a[i][j];
    y[j] = s;
  }
}
