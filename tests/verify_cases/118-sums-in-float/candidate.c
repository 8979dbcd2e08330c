double mean_power(int n, const float *x) {
  float s[16] = {0};
  int i = 0;
  for (; i + 16 <= n; i += 16)
    for (int k = 0; k < 16; ++k)
      s[k] += x[i + k] * x[i + k];
  double all = 0;
  for (int k = 0; k < 16; ++k)
    all += s[k];
  for (; i < n; ++i)
    all += (double)x[i] * x[i];
  return all / n;
}
