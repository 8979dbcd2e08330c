#include <stdint.h>
#include <string.h>

void narrow(int n, const float *x, uint16_t *y) {
  for (int i = 0; i < n; ++i) {
    uint32_t bits;
    memcpy(&bits, x + i, 4);
    y[i] = (uint16_t)(bits >> 16);
  }
}
