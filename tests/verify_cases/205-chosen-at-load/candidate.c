static long long plain(int n, const int *x) {
  long long s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i];
  return s;
}

static void *choose(void) { return (void *)plain; }

static long long chosen(int n, const int *x) __attribute__((ifunc("choose")));

long long total(int n, const int *x) {
  if (n > 4)
    return chosen(n, x);
  long long s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i];
  return s;
}
