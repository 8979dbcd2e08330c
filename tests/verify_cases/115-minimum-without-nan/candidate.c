#include <immintrin.h>

float lowest(int n, const float *x) {
  __m256 a = _mm256_set1_ps(1000), b = a, c = a, d = a;
  int i = 0;
  for (; i + 32 <= n; i += 32) {
    a = _mm256_min_ps(a, _mm256_loadu_ps(x + i));
    b = _mm256_min_ps(b, _mm256_loadu_ps(x + i + 8));
    c = _mm256_min_ps(c, _mm256_loadu_ps(x + i + 16));
    d = _mm256_min_ps(d, _mm256_loadu_ps(x + i + 24));
  }
  float v[8], low = 1000;
  _mm256_storeu_ps(v, _mm256_min_ps(_mm256_min_ps(a, b), _mm256_min_ps(c, d)));
  for (int k = 0; k < 8; ++k)
    if (v[k] < low)
      low = v[k];
  for (; i < n; ++i)
    if (x[i] < low)
      low = x[i];
  return low;
}
