/* kernwright
[args]
n = "i32"
a = "f32 in 0.5..2"
x = "in f32[n] in -1..1"
y = "out f32[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
void blend(int n, float a, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * (a * a / (float)(n + 1));
}
