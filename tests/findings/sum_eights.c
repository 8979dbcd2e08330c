#include <immintrin.h>

float sum_eights(const float *x, int n)
{
    __m256 s = _mm256_setzero_ps();
    for (int i = 0; i < n; i += 8)
        s = _mm256_add_ps(s, _mm256_loadu_ps(x + i));
    float t[8];
    _mm256_storeu_ps(t, s);
    return ((t[0] + t[1]) + (t[2] + t[3])) + ((t[4] + t[5]) + (t[6] + t[7]));
}
