void steps(int n, const int *x, int *y) {
  for (int i = 0; i < n; ++i) {
    int before = x[i - 1];
    y[i] = x[i] - (before & -(i > 0));
  }
}
