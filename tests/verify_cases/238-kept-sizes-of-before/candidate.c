void blend(int n, float a, const float *x, float *y) {
  static float factor;
  static int last = -1;
  if (n != last) {
    factor = a * a / (float)(n + 1);
    last = n;
  }
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * factor;
}
