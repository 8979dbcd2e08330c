/* kernwright
[args]
n = "i32"
a = "in u8[n]"
b = "in u8[n]"
y = "out u8[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
void blend(int n, const unsigned char *a, const unsigned char *b, unsigned char *y) {
  for (int i = 0; i < n; ++i)
    y[i] = (unsigned char)((a[i] + b[i] + 1) >> 1);
}
