void swap_pairs(unsigned n, unsigned short *x) {
  unsigned i = 0;
  for (; i < n - 3; i += 4) {
    unsigned short a = x[i], b = x[i + 1], c = x[i + 2], d = x[i + 3];
    x[i] = b;
    x[i + 1] = a;
    x[i + 2] = d;
    x[i + 3] = c;
  }
  for (; i + 1 < n; i += 2) {
    unsigned short t = x[i];
    x[i] = x[i + 1];
    x[i + 1] = t;
  }
}
