#include <math.h>

/* kernwright
[args]
n = "i32"
x = "in f32[n] in 0.5..100"
y = "out f32[n]"
[check]
n = [0, 1, 7, 64, 1000]
tolerance = {rel = 1e-4}
[time]
n = 4000
*/
void weigh(int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = 1.0f / sqrtf(x[i]);
}
