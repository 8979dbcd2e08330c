int total(int n, const int *x) {
  int sum;
  for (int i = 0; i < n; i++)
    sum += x[i];
  return sum;
}
