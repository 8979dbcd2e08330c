static unsigned char reversed(unsigned char v) {
  unsigned char r = 0;
  for (int k = 0; k < 8; ++k)
    r = (unsigned char)(r << 1 | (v >> k & 1));
  return r;
}

/* kernwright
[args]
n = "i32"
x = "in u8[n]"
y = "out u8[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
void decode(int n, const unsigned char *x, unsigned char *y) {
  for (int i = 0; i < n; ++i) {
    volatile unsigned char v = x[i];
    y[i] = reversed(v);
  }
}
