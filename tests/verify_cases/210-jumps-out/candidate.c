#include <setjmp.h>

static jmp_buf back;

long long total(int n, const int *x) {
  if (n % 4 == 3)
    longjmp(back, 1);
  long long s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i];
  return s;
}
