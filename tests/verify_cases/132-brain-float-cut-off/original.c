#include <stdint.h>
#include <string.h>

/* kernwright
[args]
n = "i32"
x = "in f32[n] in -1000..1000"
y = "out u16[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
void narrow(int n, const float *x, uint16_t *y) {
  for (int i = 0; i < n; ++i) {
    uint32_t bits;
    memcpy(&bits, x + i, 4);
    bits += 0x7fff + (bits >> 16 & 1);
    y[i] = (uint16_t)(bits >> 16);
  }
}
