#include <immintrin.h>

void whole(int n, const double *x, int *y) {
  _MM_SET_ROUNDING_MODE(_MM_ROUND_DOWN);
  int i = 0;
  for (; i + 4 <= n; i += 4)
    _mm_storeu_si128((__m128i *)(y + i), _mm256_cvtpd_epi32(_mm256_loadu_pd(x + i)));
  for (; i < n; ++i)
    y[i] = _mm_cvtsd_si32(_mm_load_sd(x + i));
}
