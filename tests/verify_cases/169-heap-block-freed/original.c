/* kernwright
[args]
n = "i32"
x = "in i32[n] in 0..100000"
y = "out i32[n]"
[check]
n = [0, 1, 7, 64, 300]
[time]
n = 4_000
*/
void rank(int n, const int *x, int *y) {
  for (int i = 0; i < n; ++i) {
    int below = 0;
    for (int j = 0; j < n; ++j)
      below += x[j] < x[i] ? 1 : 0;
    y[i] = below;
  }
}
