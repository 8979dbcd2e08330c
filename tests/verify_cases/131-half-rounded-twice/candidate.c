void axpy_half(int n, float a, const _Float16 *x, _Float16 *y) {
  for (int i = 0; i < n; ++i) {
    _Float16 product = (_Float16)(a * (float)x[i]);
    y[i] = (_Float16)((float)product + (float)y[i]);
  }
}
