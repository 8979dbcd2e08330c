double chain(int n, const double *x) {
  double s = 0;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    s = s * 0.5 + x[i];
    s = s * 0.5 + x[i + 1];
    s = s * 0.5 + x[i + 2];
    s = s * 0.5 + x[i + 3];
  }
  for (; i < n; ++i)
    s = s * 0.5 + x[i];
  return s;
}
