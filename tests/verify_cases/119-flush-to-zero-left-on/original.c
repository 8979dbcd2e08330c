/* kernwright
[args]
n = "i32"
x = "in f32[n] in 0.5..1"
y = "out f32[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
void decay(int n, const float *x, float *y) {
  float s = 1;
  for (int i = 0; i < n; ++i) {
    s = s * 0.25f + x[i];
    y[i] = s;
  }
}
