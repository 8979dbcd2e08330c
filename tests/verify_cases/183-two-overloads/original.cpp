double dot(int n, const double *x, const double *y) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * y[i];
  return s;
}

float dot(int n, const float *x, const float *y) {
  float s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * y[i];
  return s;
}
