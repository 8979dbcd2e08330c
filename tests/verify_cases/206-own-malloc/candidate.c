#include <stddef.h>

static char pool[1 << 20];
static size_t used;

void *malloc(size_t size) {
  void *at = pool + used;
  used = (used + size + 63) % sizeof pool / 64 * 64;
  return at;
}

long long total(int n, const int *x) {
  long long s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i];
  return s;
}
