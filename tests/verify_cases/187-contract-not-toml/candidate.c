void twice(int n, const int *x, int *y) {
  for (int i = 0; i < n; ++i)
    y[i] = 2 * x[i];
}
