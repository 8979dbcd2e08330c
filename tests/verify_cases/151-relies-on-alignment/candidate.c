#include <immintrin.h>

void clip(int n, const float *x, float *y) {
  const __m256 top = _mm256_set1_ps(1), bottom = _mm256_set1_ps(-1);
  int i = 0;
  for (; i + 8 <= n; i += 8)
    _mm256_store_ps(y + i, _mm256_max_ps(_mm256_min_ps(_mm256_load_ps(x + i), top), bottom));
  for (; i < n; ++i)
    y[i] = x[i] > 1 ? 1 : x[i] < -1 ? -1 : x[i];
}
