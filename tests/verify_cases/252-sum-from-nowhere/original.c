/* kernwright
[args]
n = "i32"
x = "in i32[n] in -1000..1000"
return = "i32"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 32_000
*/
int total(int n, const int *x) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i];
  return sum;
}
