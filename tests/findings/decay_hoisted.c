#include <math.h>

void decay_hoisted(double *x, int n, double rate, double dt)
{
    const double factor = exp(-rate * dt);
    for (int i = 0; i < n; i++)
        x[i] = x[i] * factor + 1.0;
}
