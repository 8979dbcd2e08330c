static unsigned char table[256];
static unsigned char order[256];

void fill(void) {
  for (int k = 0; k < 256; ++k) {
    order[k] = (unsigned char)(k * 7 + 3);
    table[order[k]] = (unsigned char)(k ^ 0x5a);
  }
}

/* kernwright
[args]
n = "i32"
x = "in u8[n]"
y = "out u8[n]"
[check]
n = [0, 1, 7, 64, 1000]
setup = "fill"
[time]
n = 50_000
*/
void translate(int n, const unsigned char *x, unsigned char *y) {
  for (int i = 0; i < n; ++i) {
    volatile int k = 0;
    while (order[k] != x[i])
      k = k + 1;
    y[i] = (unsigned char)(table[order[k]] + 1);
  }
}
