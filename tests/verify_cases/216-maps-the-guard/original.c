/* kernwright
[args]
n = "i32"
x = "in f32[n] in -1..1"
y = "out f32[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
void triple(int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i) {
    volatile float v = x[i];
    y[i] = v * 3;
  }
}
