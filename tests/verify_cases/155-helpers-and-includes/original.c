#include <stddef.h>

typedef unsigned char letter;
#define IS_LOWER(c) ((c) >= 'a' && (c) <= 'z')

/* kernwright
[args]
n = "i32"
x = "inout u8[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
void shout(int n, letter *x) {
  for (int i = 0; i < n; ++i) {
    volatile letter c = x[i];
    if (IS_LOWER(c))
      x[i] = (letter)(c - 32);
  }
}
