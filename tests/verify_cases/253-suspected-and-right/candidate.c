int last_even(int n, const int *x) {
  int value, seen = 0;
  for (int i = 0; i < n; i++) {
    int even = (x[i] & 1) == 0;
    if (even)
      value = x[i];
    seen += even;
  }
  return seen * 2 > 1 ? value : -1;
}
