void invert(int n, const int *at, int *y) {
  for (int k = 0; k < n; ++k)
    y[at[k]] = k;
}
