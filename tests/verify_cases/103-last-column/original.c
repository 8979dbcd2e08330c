/* kernwright
[args]
m = "i32"
n = "i32"
x = "in f32[m, n]"
y = "out f32[m, n]"
[check]
m = [1, 5, 16]
n = [4, 8, 64]
[time]
m = 64
n = 256
*/
void halve(int m, int n, const float *x, float *y) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      y[i * n + j] = x[i * n + j] * 0.5f;
}
