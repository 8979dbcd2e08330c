#include <math.h>

/* kernwright
[args]
n = "i32"
x = "in f64[n] in -4..4"
y = "out f64[n]"
[check]
n = [0, 1, 7, 64, 1000]
tolerance = {rel = 1e-12}
no_overlap = true
[time]
n = 4_000
*/
void cubes(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = pow(x[i], 3.0);
}
