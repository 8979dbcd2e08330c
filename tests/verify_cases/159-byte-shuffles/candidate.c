#include <immintrin.h>

long long ones(int n, const unsigned char *x) {
  const __m256i few = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i low = _mm256_set1_epi8(15);
  __m256i sum = _mm256_setzero_si256();
  int i = 0;
  for (; i + 32 <= n; i += 32) {
    __m256i v = _mm256_loadu_si256((const __m256i *)(x + i));
    __m256i a = _mm256_shuffle_epi8(few, _mm256_and_si256(v, low));
    __m256i b = _mm256_shuffle_epi8(few, _mm256_and_si256(_mm256_srli_epi16(v, 4), low));
    sum = _mm256_add_epi64(sum, _mm256_sad_epu8(_mm256_add_epi8(a, b), _mm256_setzero_si256()));
  }
  long long part[4], s;
  _mm256_storeu_si256((__m256i *)part, sum);
  s = part[0] + part[1] + part[2] + part[3];
  for (; i < n; ++i)
    s += __builtin_popcount(x[i]);
  return s;
}
