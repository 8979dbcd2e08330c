#include <immintrin.h>

__m256i weigh_bytes(const unsigned char *a, const signed char *w, int n)
{
    __m256i s = _mm256_setzero_si256();
    for (int i = 0; i + 32 <= n; i += 32) {
        const __m256i x = _mm256_loadu_si256((const __m256i *)(a + i));
        const __m256i y = _mm256_loadu_si256((const __m256i *)(w + i));
        s = _mm256_add_epi16(s, _mm256_maddubs_epi16(x, y));
    }
    return s;
}
