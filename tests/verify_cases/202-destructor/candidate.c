static int calls;

__attribute__((destructor)) static void finish(void) { calls = 0; }

long long total(int n, const int *x) {
  ++calls;
  long long s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i];
  return s;
}
