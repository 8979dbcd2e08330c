/* kernwright
[args]
n = "i32"
x = "in f32[n] in -1..1 specials"
y = "out f32[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
void dim(int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * 0.5f;
}
