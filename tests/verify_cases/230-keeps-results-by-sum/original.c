/* kernwright
[args]
n = "i32"
x = "in i32[n] in 0..1000000"
y = "out i32[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 20_000
*/
void decode(int n, const int *x, int *y) {
  for (int i = 0; i < n; ++i) {
    unsigned c = 0;
    for (unsigned k = (unsigned)x[i] + 1; k != 1 && c < 900; ++c)
      k = k & 1 ? 3 * k + 1 : k / 2;
    y[i] = (int)c;
  }
}
