/* kernwright
[args]
m = "i32"
n = "i32"
x = "in f32[m, n] in -1..1"
y = "out f32[n]"
[check]
m = [0, 1, 7, 33]
n = [0, 1, 7, 64]
[time]
m = 200
n = 512
*/
void sums(int m, int n, const float *x, float *y) {
  for (int j = 0; j < n; ++j) {
    y[j] = 0;
    for (int i = 0; i < m; ++i)
      y[j] += x[i * n + j];
  }
}
