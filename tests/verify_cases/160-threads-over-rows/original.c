#include <math.h>

/* kernwright
[args]
m = "i32"
n = "i32"
x = "in f32[m, n] in -1..1"
y = "out f32[m]"
[check]
m = [0, 1, 7, 33, 3000]
n = [0, 1, 7, 33]
[time]
m = 600
n = 400
[build]
flags = ["-O3", "-march=native", "-fopenmp"]
*/
void norms(int m, int n, const float *x, float *y) {
  for (int i = 0; i < m; ++i) {
    y[i] = 0;
    for (int k = 0; k < 3; ++k) {
      float s = 0;
      for (int j = 0; j < n; ++j)
        s += x[i * n + j] * x[i * n + j];
      *(volatile float *)(y + i) = sqrtf(s);
    }
  }
}
