#include <immintrin.h>
#include <math.h>

void weigh(int n, const float *x, float *y) {
  const __m256 half = _mm256_set1_ps(0.5f), more = _mm256_set1_ps(1.5f);
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    __m256 v = _mm256_loadu_ps(x + i), r = _mm256_rsqrt_ps(v);
    __m256 t = _mm256_mul_ps(_mm256_mul_ps(half, v), _mm256_mul_ps(r, r));
    _mm256_storeu_ps(y + i, _mm256_mul_ps(r, _mm256_sub_ps(more, t)));
  }
  for (; i < n; ++i)
    y[i] = 1.0f / sqrtf(x[i]);
}
