void thrice(int n, const int *x, int *y) {
  for (int i = 0; i < n; ++i)
    y[i] = 3 * x[i];
}
