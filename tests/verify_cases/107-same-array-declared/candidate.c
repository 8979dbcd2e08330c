#include <string.h>

void smooth(int n, const int *x, int *y) {
  if (n > 0)
    memset(y, 0, (size_t)n * sizeof *y);
  for (int i = 0; i < n; ++i) {
    int a = x[i];
    y[i] = a + a / 2 + a / 3 + a / 4 + a / 5 + a / 6 + a / 7 + a / 8;
  }
}
