#include <math.h>

/* kernwright
[args]
n = "i32"
x = "in f64[n] in -1000..1000"
y = "out i32[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
void whole(int n, const double *x, int *y) {
  for (int i = 0; i < n; ++i)
    y[i] = (int)floor(x[i]);
}
