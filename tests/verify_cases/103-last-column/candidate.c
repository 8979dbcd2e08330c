void halve(int m, int n, const float *x, float *y) {
  for (int i = 0; i < m; ++i) {
    const float *p = x + i * n;
    float *q = y + i * n;
    int j = 0;
    for (; j + 4 <= n; j += 4)
      for (int k = 0; k < 4; ++k)
        q[j + k] = p[j + k] * 0.5f;
    if (n % 4 > 1)
      for (; j < n; ++j)
        q[j] = p[j] * 0.5f;
  }
}
