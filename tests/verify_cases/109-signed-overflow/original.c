/* kernwright
[args]
n = "i32"
x = "in u8[n]"
return = "u32"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
unsigned digest(int n, const unsigned char *x) {
  unsigned h = 5381;
  for (int i = 0; i < n; ++i)
    h = h * 33u + x[i];
  return h;
}
