/* kernwright
[args]
n = "i32"
x = "in i32[n]"
return = "i32"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 32_000
*/
int last_even(int n, const int *x) {
  int found = -1;
  for (int i = 0; i < n; i++)
    if ((x[i] & 1) == 0)
      found = x[i];
  return found;
}
