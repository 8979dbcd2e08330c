static unsigned short turned(unsigned v) {
  unsigned r = 0;
  for (int k = 0; k < 16; ++k)
    r = r << 1 | (v >> k & 1);
  return (unsigned short)r;
}

/* kernwright
[args]
n = "i32"
x = "in u16[n]"
y = "out u16[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 100
*/
void decode(int n, const unsigned short *x, unsigned short *y) {
  for (int i = 0; i < n; ++i)
    y[i] = turned(x[i]);
}
