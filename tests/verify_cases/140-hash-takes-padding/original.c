#include <string.h>

struct entry {
  char kind;
  int value;
};

static int equal(const struct entry *a, const struct entry *b) { return a->kind == b->kind && a->value == b->value; }

/* kernwright
[args]
n = "i32"
x = "in i32[n] in 0..3"
y = "out i32[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
void same_before(int n, const int *x, int *y) {
  for (int i = 0; i < n; ++i) {
    struct entry a, b;
    a.kind = (char)(x[i] & 1);
    a.value = x[i];
    b.kind = (char)(x[i ? i - 1 : 0] & 1);
    b.value = x[i ? i - 1 : 0];
    y[i] = equal(&a, &b);
  }
}
