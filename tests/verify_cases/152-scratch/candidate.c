void box(int m, int n, const unsigned char *x, int *t, int *y) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      int s = 0;
      for (int b = j < 4 ? 0 : j - 4; b <= j + 4 && b < n; ++b)
        s += x[i * n + b];
      t[i * n + j] = s;
    }
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      int s = 0;
      for (int a = i < 4 ? 0 : i - 4; a <= i + 4 && a < m; ++a)
        s += t[a * n + j];
      y[i * n + j] = s;
    }
}
