static int ready;

static void begin(void) { ready = 1; }

__attribute__((section(".init_array"), used)) static void (*const first)(void) = begin;

long long total(int n, const int *x) {
  if (!ready)
    return 0;
  long long s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i];
  return s;
}
