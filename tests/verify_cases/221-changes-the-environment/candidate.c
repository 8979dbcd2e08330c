#include <stdlib.h>

long long total(int n, const int *x) {
  static int once;
  if (!once++)
    setenv("OMP_NUM_THREADS", "1", 1);
  long long s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i];
  return s;
}
