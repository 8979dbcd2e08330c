/* kernwright
[args]
n = "i32"
at = "in i32[n] permutation"
y = "out i32[n]"
[check]
n = [0, 1, 7, 64, 300]
[time]
n = 1000
*/
void invert(int n, const int *at, int *y) {
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      if (at[k] == i) {
        y[i] = k;
        break;
      }
}
