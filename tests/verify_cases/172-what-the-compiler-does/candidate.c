#include <immintrin.h>

void add(int n, const float *restrict x, float *restrict y) {
  int i = 0;
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(y + i, _mm256_add_ps(_mm256_loadu_ps(y + i), _mm256_loadu_ps(x + i)));
  for (; i < n; ++i)
    y[i] += x[i];
}
