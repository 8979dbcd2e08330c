unsigned checksum(int n, const unsigned char *x) {
  unsigned a = 1, b = 0;
  for (int i = 0; i < n;) {
    int to = n - i < 5552 ? n : i + 5552;
    for (; i < to; ++i) {
      a += x[i];
      b += a;
    }
    a %= 65521;
    b %= 65521;
  }
  return b << 16 | a;
}
