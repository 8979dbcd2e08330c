#include <stdbool.h>

void marked(int n, const unsigned char *x, bool *y) {
  unsigned char *to = (unsigned char *)y;
  for (int i = 0; i < n; ++i)
    to[i] = x[i] & 4;
}
