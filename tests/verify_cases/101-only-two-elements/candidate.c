void order(int n, int *x) {
  if (n == 2) {
    int a = x[0], b = x[1];
    x[0] = a > b ? a : b;
    x[1] = a > b ? b : a;
    return;
  }
  for (int i = 1; i < n; ++i) {
    int v = x[i], j = i;
    for (; j > 0 && x[j - 1] > v; --j)
      x[j] = x[j - 1];
    x[j] = v;
  }
}
