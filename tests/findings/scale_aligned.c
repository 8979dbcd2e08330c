#include <immintrin.h>

void scale_aligned(float *x, int n, float k)
{
    const __m128 f = _mm_set1_ps(k);
    for (int i = 0; i + 4 <= n; i += 4)
        _mm_store_ps(x + i, _mm_mul_ps(f, _mm_load_ps(x + i)));
}
