void apply(int n, const float *x, float *y, float (*f)(float)) {
  for (int i = n; i-- > 0;)
    y[i] = f(x[i]);
}
