#include <stdlib.h>
#include <string.h>

static int up(const void *a, const void *b) {
  int p = *(const int *)a, q = *(const int *)b;
  return (p > q) - (p < q);
}

void rank(int n, const int *x, int *y) {
  if (n < 1)
    return;
  int *v = malloc((size_t)n * sizeof *v);
  memcpy(v, x, (size_t)n * sizeof *v);
  qsort(v, (size_t)n, sizeof *v, up);
  for (int i = 0; i < n; ++i) {
    int lo = 0, hi = n;
    while (lo < hi) {
      int mid = (lo + hi) / 2;
      if (v[mid] < x[i])
        lo = mid + 1;
      else
        hi = mid;
    }
    y[i] = lo;
  }
}
