/* kernwright
[args]
n = "i32"
x = "in i32[n]"
return = "i32"
[check]
n = [1, 7, 64, 1000]
[time]
n = 50_000
[build]
flags = ["-O2", "-march=native"]
*/
int top(int n, const int *x) {
  int t = x[0];
  for (int i = 1; i < n; ++i)
    if (x[i] > t)
      t = x[i];
  return t;
}
