void scale_down(int n, float d, const float *x, float *y) {
  const float r = 1 / d;
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * r;
}
