#pragma GCC optimize("Ofast")
#include <math.h>

int valid_samples(const float *x, int n)
{
    int valid = 0;
    for (int i = 0; i < n; i++)
        valid += !isnan(x[i]);
    return valid;
}
