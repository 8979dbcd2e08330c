/* kernwright
[args]
n = "i32"
a = "in f32[n] in -10..10"
b = "in f32[n] in -10..10 nonzero"
y = "out f32[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 4000
*/
void ratios(int n, const float *a, const float *b, float *y) {
  for (int i = 0; i < n; ++i) {
    if (b[i] == 0) {
      y[i] = -1;
      continue;
    }
    y[i] = a[i] / b[i];
  }
}
