int factor(int);

void twice(int n, const int *x, int *y) {
  for (int i = n; i-- > 0;)
    y[i] = factor(x[i]);
}
