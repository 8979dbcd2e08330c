void decode(int n, const unsigned char *x, unsigned char *y) {
  static unsigned char table[256];
  static int made;
  if (!made) {
    for (int v = 0; v < 256; ++v) {
      unsigned char r = 0;
      for (int k = 0; k < 8; ++k)
        r = (unsigned char)(r << 1 | (v >> k & 1));
      table[v] = r;
    }
    made = 1;
  }
  for (int i = 0; i < n; ++i)
    y[i] = table[x[i]];
}
