#include <immintrin.h>

void dim(int n, const float *x, float *y) {
  unsigned mode = _mm_getcsr();
  _mm_setcsr(mode | 0x8040);
  int i = 0;
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(y + i, _mm256_mul_ps(_mm256_loadu_ps(x + i), _mm256_set1_ps(0.5f)));
  for (; i < n; ++i)
    _mm_store_ss(y + i, _mm_mul_ss(_mm_load_ss(x + i), _mm_set_ss(0.5f)));
  _mm_setcsr(mode);
}
