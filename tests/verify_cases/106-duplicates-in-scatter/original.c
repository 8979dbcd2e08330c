/* kernwright
[args]
n = "i32"
m = "i32"
at = "in i32[n] in 0..m-1"
v = "in i32[n] in -100..100"
y = "inout i32[m]"
[check]
n = [0, 1, 7, 64, 1000]
m = [100, 5000]
[time]
n = 5_000
m = 100_000
*/
void deposit(int n, int m, const int *at, const int *v, int *y) {
  (void)m;
  for (int i = 0; i < n; ++i)
    y[at[i]] += v[i];
}
