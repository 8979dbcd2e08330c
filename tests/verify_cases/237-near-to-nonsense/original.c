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
n = 4_000
*/
void shorten(int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i) {
    unsigned bits;
    volatile float v = x[i];
    float w = v;
    memcpy(&bits, &w, sizeof bits);
    bits &= 0xffff0000u;
    memcpy(&w, &bits, sizeof bits);
    y[i] = w * 1.5f;
  }
}
