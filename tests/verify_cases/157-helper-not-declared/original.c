static int cost(int v) { return (v * v + 3 * v) % 101; }

/* kernwright
[args]
n = "i32"
x = "in i32[n] in 0..100"
y = "out i32[n]"
[check]
n = [0, 1, 7, 64, 300]
[time]
n = 400
*/
void score(int n, const int *x, int *y) {
  for (int i = 0; i < n; ++i) {
    int s = 0;
    for (int j = 0; j <= i; ++j)
      s += cost(x[j]);
    y[i] = s;
  }
}
