/* kernwright
[args]
n = "i32"
s = "i32 in 0..32"
x = "in u32[n]"
y = "out u32[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
void shrink(int n, int s, const unsigned *x, unsigned *y) {
  for (int i = 0; i < n; ++i)
    y[i] = (unsigned)((unsigned long long)x[i] >> s);
}
