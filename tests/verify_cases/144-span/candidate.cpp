#include <algorithm>
#include <cstdint>
#include <immintrin.h>
#include <span>

std::uint16_t brightest(unsigned n, std::span<const std::uint16_t> x) {
  __m256i a = _mm256_setzero_si256(), b = a;
  unsigned i = 0;
  for (; i + 32 <= n; i += 32) {
    a = _mm256_max_epu16(a, _mm256_loadu_si256(reinterpret_cast<const __m256i *>(&x[i])));
    b = _mm256_max_epu16(b, _mm256_loadu_si256(reinterpret_cast<const __m256i *>(&x[i + 16])));
  }
  alignas(32) std::uint16_t v[16];
  _mm256_store_si256(reinterpret_cast<__m256i *>(v), _mm256_max_epu16(a, b));
  std::uint16_t top = *std::max_element(v, v + 16);
  for (; i < n; ++i)
    top = std::max(top, x[i]);
  return top;
}
