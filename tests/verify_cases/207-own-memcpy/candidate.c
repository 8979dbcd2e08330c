#include <stddef.h>

void *quick(void *to, const void *from, size_t n) __asm__("memcpy");

void *quick(void *to, const void *from, size_t n) {
  for (size_t i = 0; i < n; ++i)
    ((volatile char *)to)[i] = ((const char *)from)[i];
  return to;
}

long long total(int n, const int *x) {
  long long s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i];
  return s;
}
