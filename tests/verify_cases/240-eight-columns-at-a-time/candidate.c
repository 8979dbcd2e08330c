#include <immintrin.h>

void sums(int m, int n, const float *x, float *y) {
  int j = 0;
  for (; j + 8 <= n; j += 8) {
    __m256 s = _mm256_setzero_ps();
    for (int i = 0; i < m; ++i)
      s = _mm256_add_ps(s, _mm256_loadu_ps(x + (long)i * n + j));
    _mm256_storeu_ps(y + j, s);
  }
  for (; j < n; ++j) {
    float s = 0;
    for (int i = 0; i < m; ++i)
      s += x[(long)i * n + j];
    y[j] = s;
  }
}
