/* kernwright
[args]
n = "i32"
x = "in i32[n]"
return = "i64"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
long long total(int n, const int *x) {
  long long s = 0;
  for (int i = 0; i < n; ++i) {
    volatile int v = x[i];
    s += v;
  }
  return s;
}
