/* kernwright
[args]
n = "i32"
m = "i32"
at = "in i32[n] in 0..m-1 distinct"
y = "inout i32[m] in 0..1000"
[check]
n = [0, 1, 7, 64]
m = [64, 1000]
where = "n <= m"
[time]
n = 4_000
m = 5_000
*/
void deposit(int n, int m, const int *at, int *y) {
  (void)m;
  for (int i = 0; i < n; ++i) {
    int *p = y + at[i];
    for (int k = 0; k < 6; ++k)
      *(volatile int *)p = *p * 3 + k;
  }
}
