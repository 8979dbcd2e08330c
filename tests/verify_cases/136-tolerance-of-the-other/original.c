#include <math.h>

/* kernwright
[args]
n = "i32"
x = "in f32[n] in -100..100"
y = "out f32[n]"
z = "out f32[n]"
[check]
n = [0, 1, 7, 64, 1000]
tolerance.z = {abs = 1e-3}
[time]
n = 50_000
*/
void split(int n, const float *x, float *y, float *z) {
  for (int i = 0; i < n; ++i) {
    y[i] = x[i] / 3.0f;
    z[i] = sinf(y[i]);
  }
}
