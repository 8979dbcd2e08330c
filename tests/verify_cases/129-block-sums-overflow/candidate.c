long long total(int n, const int *x) {
  long long s = 0;
  int i = 0;
  for (; i + 8192 <= n; i += 8192) {
    unsigned part = 0;
    for (int k = 0; k < 8192; ++k)
      part += (unsigned)x[i + k];
    s += (int)part;
  }
  for (; i < n; ++i)
    s += x[i];
  return s;
}
