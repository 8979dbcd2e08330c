#include <math.h>

void gammas(double *v, const double *x, int n)
{
    for (int i = 0; i < n; i++)
        v[i] = pow(x[i], 2.2);
}
