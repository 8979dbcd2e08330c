#include <math.h>

void scale_root(int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i) {
    float a = x[i] * 1.0000001f, r = sqrtf(a);
    y[i] = r * a * a;
  }
}
