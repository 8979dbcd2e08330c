/* kernwright
[args]
q = "i32"
m = "i32"
ring = "in i32[m]"
at = "in i32[q] in -3*m..3*m"
y = "out i32[q]"
[check]
q = [0, 1, 7, 64, 1000]
m = [1, 16, 1000]
where = "m >= 1"
[time]
q = 20_000
m = 1000
*/
void ring(int q, int m, const int *ring, const int *at, int *y) {
  for (int i = 0; i < q; ++i) {
    int k = at[i] % m;
    y[i] = ring[k < 0 ? k + m : k];
  }
}
