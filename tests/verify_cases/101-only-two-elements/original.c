/* kernwright
[args]
n = "i32"
x = "inout i32[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 400
*/
void order(int n, int *x) {
  for (int i = 1; i < n; ++i) {
    int v = x[i], j = i;
    for (; j > 0 && x[j - 1] > v; --j)
      x[j] = x[j - 1];
    x[j] = v;
  }
}
