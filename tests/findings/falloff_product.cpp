#include <cmath>

void falloff_product(float *__restrict w, const float *d, int n)
{
    for (int i = 0; i < n; i++) {
        const float square = d[i] * d[i];
        w[i] = 1.0f / (square * square);
    }
}
