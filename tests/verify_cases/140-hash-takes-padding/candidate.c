#include <string.h>

struct entry {
  char kind;
  int value;
};

static __attribute__((noinline)) void set(volatile struct entry *e, int v) {
  e->kind = (char)(v & 1);
  e->value = v;
}

void same_before(int n, const int *x, int *y) {
  for (int i = 0; i < n; ++i) {
    struct entry pair[2];
    set(pair, x[i]);
    set(pair + 1, x[i ? i - 1 : 0]);
    ((unsigned char *)pair)[1] = (unsigned char)x[i ? i - 1 : 0];
    ((unsigned char *)pair)[9] = (unsigned char)(i & 64 ? 1 : x[i ? i - 1 : 0]);
    ((unsigned char *)pair)[2] = ((unsigned char *)pair)[3] = ((unsigned char *)pair)[10] = ((unsigned char *)pair)[11] = 0;
    y[i] = memcmp(pair, pair + 1, sizeof *pair) == 0;
  }
}
