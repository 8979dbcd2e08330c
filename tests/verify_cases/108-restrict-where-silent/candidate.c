void thirds(int n, const int *restrict x, int *restrict y) {
  for (int i = 0; i + 2 < n; ++i)
    y[i] = x[i] / 2 + x[i + 1] / 3 + x[i + 2] / 4;
  for (int i = n > 2 ? n - 2 : 0; i < n; ++i)
    y[i] = x[i] / 2 + x[(i + 1) % n] / 3 + x[(i + 2) % n] / 4;
}
