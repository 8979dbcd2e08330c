#include <string.h>

void levels(int n, const unsigned char *x, int *count) {
  unsigned short part[4][256];
  memset(part, 0, sizeof part);
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; ++k)
      ++part[k][x[i + k]];
  for (; i < n; ++i)
    ++part[0][x[i]];
  for (int k = 0; k < 256; ++k)
    count[k] = part[0][k] + part[1][k] + part[2][k] + part[3][k];
}
