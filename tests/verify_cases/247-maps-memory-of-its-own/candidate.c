#include <sys/mman.h>

long long total(int n, const int *x) {
  long long *partial = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (partial == MAP_FAILED)
    __builtin_trap();
  for (int k = 0; k < 8; ++k)
    partial[k] = 0;
  int i = 0;
  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; ++k)
      partial[k] += x[i + k];
  for (; i < n; ++i)
    partial[0] += x[i];
  long long s = 0;
  for (int k = 0; k < 8; ++k)
    s += partial[k];
  munmap(partial, 4096);
  return s;
}
