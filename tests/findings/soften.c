#include <math.h>

void soften(float *y, const float *x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = tanh(x[i]);
}
