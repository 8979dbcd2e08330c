#include <string.h>

void spread(int n, float *x) {
  if (n < 1)
    return;
  float old[n];
  memcpy(old, x, (size_t)n * sizeof *x);
  for (int i = 1; i < n; ++i)
    x[i] = old[i] + old[i - 1];
}
