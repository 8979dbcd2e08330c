#include <math.h>

void volumes(double *v, const double *edge, int n)
{
    for (int i = 0; i < n; i++)
        v[i] = pow(edge[i], 3.0);
}
