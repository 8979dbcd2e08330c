/* kernwright
[args]
n = "i32"
x = "in f32[n] in -4..4"
y = "out f32[n]"
[check]
n = [0, 1, 7, 64, 1000]
no_overlap = true
[time]
n = 2000
*/
void ramp(int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i) {
    volatile float v = x[i];
    y[i] = v > 0.25f ? 2 * v : v;
  }
}
