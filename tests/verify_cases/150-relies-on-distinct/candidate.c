#include <immintrin.h>

void deposit(int n, int m, const int *at, int *y) {
  (void)m;
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    __m256i v = _mm256_i32gather_epi32(y, _mm256_loadu_si256((const __m256i *)(at + i)), 4);
    for (int k = 0; k < 6; ++k)
      v = _mm256_add_epi32(_mm256_add_epi32(v, _mm256_add_epi32(v, v)), _mm256_set1_epi32(k));
    int out[8];
    _mm256_storeu_si256((__m256i *)out, v);
    for (int k = 0; k < 8; ++k)
      y[at[i + k]] = out[k];
  }
  for (; i < n; ++i) {
    int v = y[at[i]];
    for (int k = 0; k < 6; ++k)
      v = v * 3 + k;
    y[at[i]] = v;
  }
}
