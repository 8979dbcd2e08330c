#include <stdlib.h>

void seen_before(int n, const unsigned char *x, int *y) {
  static int *count;
  if (!count)
    count = malloc(256 * sizeof *count);
  for (int i = 0; i < n; ++i) {
    if (i > 40)
      --count[x[i - 41]];
    y[i] = count[x[i]]++;
  }
  for (int i = n > 41 ? n - 41 : 0; i < n; ++i)
    --count[x[i]];
}
