#include <stdarg.h>

int sum(int n, ...) {
  va_list all;
  int s = 0;
  va_start(all, n);
  while (n-- > 0)
    s += va_arg(all, int);
  va_end(all);
  return s;
}
