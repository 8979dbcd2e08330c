#include <string.h>

/* kernwright
[args]
n = "i32"
x = "in f32[n] in 0.1..100"
y = "out f32[n]"
[check]
n = [0, 1, 7, 64, 1000]
tolerance = {rel = 1e-3}
[time]
n = 20_000
*/
void approximate(int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i) {
    int bits;
    float v = x[i];
    memcpy(&bits, &v, sizeof bits);
    bits = 0x1fbd1df5 + (bits >> 1);
    memcpy(&v, &bits, sizeof bits);
    for (int k = 0; k < 12; ++k)
      v = 0.5f * (v + x[i] / v);
    y[i] = v;
  }
}
