/* kernwright
[args]
n = "i32"
d = "f32 in 0.5..10"
x = "in f32[n] in -100..100"
y = "out f32[n]"
[check]
n = [0, 1, 7, 64, 1000]
tolerance = {ulp = 4}
[time]
n = 4000
*/
void scale_down(int n, float d, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i] / d;
}
