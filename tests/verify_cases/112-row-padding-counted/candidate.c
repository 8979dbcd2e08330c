void peaks(int m, int n, int ld, const int *x, int *y) {
  int all = (n + 7) / 8 * 8;
  if (all > ld)
    all = n;
  for (int i = 0; i < m; ++i) {
    int top = x[i * ld];
    for (int j = 0; j < all; ++j)
      top = x[i * ld + j] > top ? x[i * ld + j] : top;
    y[i] = top;
  }
}
