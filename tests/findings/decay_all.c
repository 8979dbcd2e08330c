#include <math.h>

void decay_all(double *x, int n, double rate, double dt)
{
    for (int i = 0; i < n; i++)
        x[i] = x[i] * exp(-rate * dt) + 1.0;
}
