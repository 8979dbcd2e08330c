#include <string.h>

/* kernwright
[args]
n = "i32"
x = "in f32[n] in 0.1..100"
y = "out f32[n]"
[check]
n = [0, 1, 7, 64, 1000]
tolerance = {rel = 1e-3}
[time]
n = 50_000
*/
void inverse_root(int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i) {
    union { float f; int i; } u;
    u.f = x[i];
    u.i = 0x5f3759df - (u.i >> 1);
    float r = u.f;
    r = r * (1.5f - 0.5f * x[i] * r * r);
    y[i] = r * (1.5f - 0.5f * x[i] * r * r);
  }
}
