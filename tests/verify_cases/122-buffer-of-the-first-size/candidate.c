#include <stdlib.h>
#include <string.h>

void mirror(int n, int *x) {
  static int *copy;
  if (n < 2)
    return;
  if (!copy)
    copy = malloc((size_t)n * sizeof *copy);
  memcpy(copy, x, (size_t)n * sizeof *copy);
  for (int i = 0; i < n; ++i)
    x[i] = copy[n - 1 - i];
}
