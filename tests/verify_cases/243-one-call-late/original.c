#include <math.h>

/* kernwright
[args]
n = "i32"
x = "in f64[n] in 0.5..4"
y = "out f64[n]"
[check]
n = [0, 1, 7, 64, 1000]
tolerance = {rel = 1e-12}
[time]
n = 5_000
*/
void curve(int n, const double *x, double *y) {
  for (int i = 0; i < n; ++i)
    y[i] = pow(x[i], 1.7) + sin(x[i]);
}
