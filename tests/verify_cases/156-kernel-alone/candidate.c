void grade(int n, const item *x, int *y) {
  int all[n + 1];
  for (int i = 0; i < n; ++i)
    all[i] = density(x[i]);
  for (int i = 0; i < n; ++i) {
    int below = 0;
    for (int j = 0; j < n; ++j)
      below += all[j] < all[i];
    y[i] = below;
  }
}
