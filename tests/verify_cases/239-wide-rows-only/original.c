/* kernwright
[args]
m = "i32"
n = "i32"
x = "in f32[m, n]"
y = "out f32[n, m]"
[check]
m = [1, 7, 32]
n = [1, 7, 64]
[time]
m = 256
n = 256
*/
void transpose(int m, int n, const float *x, float *y) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      y[j * m + i] = x[i * n + j];
}
