#include <math.h>

/* kernwright
[args]
n = "i32"
x = "in f32[n] in 0.1..100"
y = "out f32[n]"
[check]
n = [0, 1, 7, 64, 1000]
tolerance = {ulp = 2}
[time]
n = 50_000
*/
void scale_root(int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = (float)(sqrt((double)x[i]) * (double)x[i] * (double)x[i]);
}
