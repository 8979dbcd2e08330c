/* kernwright
[args]
n = "i32"
x = "in f32[n] in -4..4 aligned(64)"
y = "out f32[n] aligned(64)"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 4000
*/
void clip(int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i) {
    volatile float v = x[i];
    if (v > 1)
      v = 1;
    if (v < -1)
      v = -1;
    y[i] = v;
  }
}
