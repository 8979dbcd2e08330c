void ratios(int n, const float *a, const float *b, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = a[i] / b[i];
}
