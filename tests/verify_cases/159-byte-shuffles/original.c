/* kernwright
[args]
n = "i32"
x = "in u8[n]"
return = "i64"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 20_000
*/
long long ones(int n, const unsigned char *x) {
  long long s = 0;
  for (int i = 0; i < n; ++i)
    for (unsigned v = x[i]; v; v >>= 1)
      s += v & 1;
  return s;
}
