void columns(int m, int n, float **a, float *y) {
  for (int j = 0; j < n; ++j)
    y[j] = 0;
  for (int i = 0; i < m; ++i) {
    const float *row = a[i];
    for (int j = 0; j < n; ++j)
      y[j] += row[j];
  }
}
