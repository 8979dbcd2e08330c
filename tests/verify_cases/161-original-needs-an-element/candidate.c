#include <immintrin.h>

int top(int n, const int *x) {
  int t = x[0], i = 0;
  __m256i a = _mm256_set1_epi32(t), b = a;
  for (; i + 16 <= n; i += 16) {
    a = _mm256_max_epi32(a, _mm256_loadu_si256((const __m256i *)(x + i)));
    b = _mm256_max_epi32(b, _mm256_loadu_si256((const __m256i *)(x + i + 8)));
  }
  int v[8];
  _mm256_storeu_si256((__m256i *)v, _mm256_max_epi32(a, b));
  for (int k = 0; k < 8; ++k)
    t = v[k] > t ? v[k] : t;
  for (; i < n; ++i)
    t = x[i] > t ? x[i] : t;
  return t;
}
