void apply(int n, const float *x, float *y, float (*f)(float)) {
  for (int i = 0; i < n; ++i)
    y[i] = f(x[i]);
}
