#include <stdlib.h>

/* kernwright
[args]
n = "i32"
x = "in u8[n]"
y = "out i32[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
void seen_before(int n, const unsigned char *x, int *y) {
  for (int i = 0; i < n; ++i) {
    int c = 0;
    for (int j = i - 1; j >= 0 && j >= i - 40; --j)
      c += x[j] == x[i];
    y[i] = c;
  }
}
