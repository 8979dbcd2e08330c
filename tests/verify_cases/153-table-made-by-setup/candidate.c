static unsigned char table[256];
static unsigned char order[256];

void fill(void) {
  for (int k = 0; k < 256; ++k) {
    order[k] = (unsigned char)(k * 7 + 3);
    table[order[k]] = (unsigned char)(k ^ 0x5a);
  }
}

void translate(int n, const unsigned char *x, unsigned char *y) {
  const unsigned char *const to = table;
  for (int i = 0; i < n; ++i)
    y[i] = (unsigned char)(to[x[i]] + 1);
}
