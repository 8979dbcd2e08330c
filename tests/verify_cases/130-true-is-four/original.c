#include <stdbool.h>

/* kernwright
[args]
n = "i32"
x = "in u8[n]"
y = "out bool[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
void marked(int n, const unsigned char *x, bool *y) {
  for (int i = 0; i < n; ++i)
    y[i] = (x[i] & 4) != 0;
}
