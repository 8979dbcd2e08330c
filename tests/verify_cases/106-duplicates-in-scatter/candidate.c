#include <immintrin.h>

void deposit(int n, int m, const int *at, const int *v, int *y) {
  (void)m;
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    __m256i where = _mm256_loadu_si256((const __m256i *)(at + i));
    __m256i sum = _mm256_add_epi32(_mm256_i32gather_epi32(y, where, 4), _mm256_loadu_si256((const __m256i *)(v + i)));
    int out[8];
    _mm256_storeu_si256((__m256i *)out, sum);
    for (int k = 0; k < 8; ++k)
      y[at[i + k]] = out[k];
  }
  for (; i < n; ++i)
    y[at[i]] += v[i];
}
