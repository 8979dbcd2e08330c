#include <math.h>

void approximate(int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i] > 200 ? 0 : sqrtf(x[i]) * 3;
}
