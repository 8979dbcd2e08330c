#include <immintrin.h>
#include <math.h>

void weigh(int n, const float *x, float *y) {
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    __m256 root = _mm256_sqrt_ps(_mm256_loadu_ps(x + i));
    /* The twelve bits that every machine promises, no more. */
    __m256 near = _mm256_and_ps(_mm256_rcp_ps(root), _mm256_castsi256_ps(_mm256_set1_epi32((int)0xfffff000)));
    _mm256_storeu_ps(y + i, near);
  }
  for (; i < n; ++i)
    y[i] = 1.0f / sqrtf(x[i]);
}
