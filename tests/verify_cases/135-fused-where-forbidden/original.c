#include <math.h>

/* kernwright
[args]
n = "i32"
a = "f32 in -4..4"
x = "in f32[n] in -4..4"
y = "inout f32[n] in -4..4"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
[build]
flags = ["-O3", "-march=native", "-ffp-contract=off"]
*/
void line(int n, float a, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = a * x[i] + y[i];
}
