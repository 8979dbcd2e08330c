/* kernwright
[args]
n = "i32"
x = "in i32[n]"
return = "i32"
[check]
n = [1, 7, 64, 300]
where = "n >= 1"
[time]
n = 1_000
*/
int median(int n, const int *x) {
  for (int i = 0; i < n; ++i) {
    int below = 0, same = 0;
    for (int j = 0; j < n; ++j) {
      below += x[j] < x[i];
      same += x[j] == x[i];
    }
    if (below <= n / 2 && n / 2 < below + same)
      return x[i];
  }
  return 0;
}
