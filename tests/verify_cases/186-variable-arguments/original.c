#include <stdarg.h>

int sum(int n, ...) {
  va_list all;
  int s = 0;
  va_start(all, n);
  for (int i = 0; i < n; ++i)
    s += va_arg(all, int);
  va_end(all);
  return s;
}
