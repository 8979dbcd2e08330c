#include <dlfcn.h>

long long total(int n, const int *x) {
  static void *other;
  if (!other)
    other = dlopen("libz.so.1", RTLD_NOW);
  long long s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i];
  return s;
}
