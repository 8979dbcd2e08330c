#include <math.h>

void norms(int m, int n, const float *x, float *y) {
#pragma omp parallel for schedule(static) if (m > 2000)
  for (int i = 0; i < m; ++i) {
    float s = 0;
    for (int j = 0; j < n; ++j)
      s += x[i * n + j] * x[i * n + j];
    y[i] = sqrtf(s);
  }
}
