#include <string.h>

static inline letter upper(letter c) { return (letter)(c - 32 * IS_LOWER(c)); }

void shout(int n, letter *x) {
  letter part[64];
  int i = 0;
  for (; i + 64 <= n; i += 64) {
    memcpy(part, x + i, sizeof part);
    for (int k = 0; k < 64; ++k)
      part[k] = upper(part[k]);
    memcpy(x + i, part, sizeof part);
  }
  for (; i < n; ++i)
    x[i] = upper(x[i]);
}
