float dot(int n, const float *x, const float *y) {
  float s = 0;
  for (int i = 0; i < n; ++i)
    s += y[i] * x[i];
  return s;
}
