/* kernwright
[args]
n = "i32"
x = "in u32[n]"
y = "out u32[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 4_000
*/
void running(int n, const unsigned *x, unsigned *y) {
  unsigned s = 0;
  for (int i = 0; i < n; ++i)
    y[i] = s += x[i];
}
