/* kernwright
[args]
n = "i32"
x = "inout i32[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
void mirror(int n, int *x) {
  for (int i = 0; i < n / 2; ++i) {
    int t = x[i];
    x[i] = x[n - 1 - i];
    x[n - 1 - i] = t;
  }
}
