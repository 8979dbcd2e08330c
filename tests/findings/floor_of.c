#include <math.h>

double floor_of(const double *x, int n)
{
    double low = INFINITY;
    for (int i = 0; i < n; i++)
        low = fmin(low, x[i]);
    return low;
}
