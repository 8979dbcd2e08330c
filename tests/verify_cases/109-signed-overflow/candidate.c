unsigned digest(int n, const unsigned char *x) {
  int h = 5381, i = 0;
  for (; i + 4 <= n; i += 4)
    h = h * 1185921 + x[i] * 35937 + x[i + 1] * 1089 + x[i + 2] * 33 + x[i + 3];
  for (; i < n; ++i)
    h = h * 33 + x[i];
  return (unsigned)h;
}
