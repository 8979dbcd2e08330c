/* kernwright
[args]
n = "i32"
x = "in i32[n]"
return = "i64"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 2_000
*/
long long differences(int n, const int *x) {
  long long s = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      s += x[i] - x[j] / 2;
  return s;
}
