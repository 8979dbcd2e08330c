/* kernwright
[args]
m = "i32"
q = "i32"
x = "in i32[m] sorted in 0..100000"
k = "in i32[q] in 0..100000"
y = "out i32[q]"
[check]
m = [0, 1, 7, 64, 1000]
q = [0, 1, 7]
[time]
m = 20_000
q = 16
cache = "cold"
*/
void pick(int m, int q, const int *x, const int *k, int *y) {
  for (int j = 0; j < q; ++j) {
    int c = 0;
    for (int i = 0; i < m; ++i)
      c += x[i] <= k[j];
    y[j] = c;
  }
}
