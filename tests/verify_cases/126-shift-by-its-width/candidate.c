void shrink(int n, int s, const unsigned *x, unsigned *y) {
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    y[i] = x[i] >> s;
    y[i + 1] = x[i + 1] >> s;
    y[i + 2] = x[i + 2] >> s;
    y[i + 3] = x[i + 3] >> s;
  }
  for (; i < n; ++i)
    y[i] = x[i] >> s;
}
