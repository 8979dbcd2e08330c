static int ready;

__attribute__((constructor)) static void begin(void) { ready = 1; }

long long total(int n, const int *x) {
  if (!ready)
    return 0;
  long long s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i];
  return s;
}
