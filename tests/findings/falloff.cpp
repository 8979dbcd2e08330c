#include <cmath>

void falloff(float *w, const float *d, int n)
{
    for (int i = 0; i < n; i++)
        w[i] = 1.0f / std::pow(d[i], 4.0f);
}
