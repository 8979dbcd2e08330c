/* kernwright
[args]
n = "i32"
x = "in u8[n]"
return = "i32"
[check]
n = [0, 1, 7, 64, 1000]
tolerance = {rel = 0.05, abs = 1}
[time]
n = 100_000
*/
int evens(int n, const unsigned char *x) {
  int c = 0;
  for (int i = 0; i < n; ++i)
    c += x[i] % 2 == 0;
  return c;
}
