#include <immintrin.h>

void rectify(int n, const float *x, float *y) {
  int i = 0;
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(y + i, _mm256_max_ps(_mm256_setzero_ps(), _mm256_loadu_ps(x + i)));
  for (; i < n; ++i)
    y[i] = x[i] > 0 ? x[i] : 0;
}
