float weights[5];

/* kernwright
[args]
n = "i32"
x = "in f32[n+4] in -1..1"
y = "out f32[n]"
[check]
n = [0, 1, 7, 64, 1000]
tolerance = {rel = 1e-5, abs = 1e-6}
globals = {weights = "in f32[5] in -1..1"}
[time]
n = 8000
*/
void convolve(int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i) {
    y[i] = 0;
    for (int k = 0; k < 5; ++k)
      y[i] += weights[k] * x[i + k];
  }
}
