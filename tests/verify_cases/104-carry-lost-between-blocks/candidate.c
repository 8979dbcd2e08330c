enum { BLOCK_BITS = 12 };

void running(int n, const unsigned *x, unsigned *y) {
  for (int from = 0; from < n; from += 1 << BLOCK_BITS) {
    int to = n - from < 1 << BLOCK_BITS ? n : from + (1 << BLOCK_BITS);
    unsigned s = 0;
    int i = from;
    for (; i + 4 <= to; i += 4) {
      unsigned a = x[i], b = x[i + 1], c = x[i + 2], d = x[i + 3];
      y[i] = s + a;
      y[i + 1] = s + (a + b);
      y[i + 2] = s + (a + b) + c;
      y[i + 3] = s += (a + b) + (c + d);
    }
    for (; i < to; ++i)
      y[i] = s += x[i];
  }
}
