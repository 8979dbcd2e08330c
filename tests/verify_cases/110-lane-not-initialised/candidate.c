long long total(int n, const int *x) {
  volatile long long s[8];
  for (int k = 0; k < 7; ++k)
    s[k] = 0;
  int i = 0;
  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; ++k)
      s[k] += x[i + k];
  for (; i < n; ++i)
    s[0] += x[i];
  long long all = 0;
  for (int k = 0; k < 8; ++k)
    all += s[k];
  return all;
}
