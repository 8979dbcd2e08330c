static int steps(unsigned v) {
  int c = 0;
  for (unsigned k = v + 1; k != 1 && c < 500; ++c)
    k = k & 1 ? 3 * k + 1 : k / 2;
  return c;
}

/* kernwright
[args]
n = "i32"
x = "in u16[n] in 0..4095"
y = "out i32[n]"
[check]
n = [0, 1, 7, 64, 1000]
[[time]]
n = 50
[[time]]
n = 200_000
*/
void decode(int n, const unsigned short *x, int *y) {
  for (int i = 0; i < n; ++i)
    y[i] = steps(x[i]);
}
