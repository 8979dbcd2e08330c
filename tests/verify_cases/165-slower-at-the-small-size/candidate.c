static int steps(unsigned v) {
  int c = 0;
  for (unsigned k = v + 1; k != 1 && c < 500; ++c)
    k = k & 1 ? 3 * k + 1 : k / 2;
  return c;
}

void decode(int n, const unsigned short *x, int *y) {
  int table[4096];
  for (unsigned k = 0; k < 4096; ++k)
    table[k] = steps(k);
  for (int i = 0; i < n; ++i)
    y[i] = table[x[i]];
}
