float weights[5];

void convolve(int n, const float *x, float *y) {
  const float a = weights[0], b = weights[1], c = weights[2], d = weights[3], e = weights[4];
  for (int i = 0; i < n; ++i)
    y[i] = a * x[i] + b * x[i + 1] + c * x[i + 2] + d * x[i + 3] + e * x[i + 4];
}
