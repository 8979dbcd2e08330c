/* kernwright
[args]
n = "i32"
x = "in u8[n]"
return = "u32"
[check]
n = [0, 1, 7, 64, 1000]
[[time]]
n = 2_000
[[time]]
n = 100_000
*/
unsigned checksum(int n, const unsigned char *x) {
  unsigned a = 1, b = 0;
  for (int i = 0; i < n; ++i) {
    a = (a + x[i]) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}
