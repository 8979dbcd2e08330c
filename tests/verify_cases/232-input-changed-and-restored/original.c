/* kernwright
[args]
n = "i32"
key = "i32"
x = "in i32[n]"
return = "i32"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
int find(int n, int key, const int *x) {
  for (int i = 0; i < n; ++i)
    if (x[i] == key)
      return i;
  return n;
}
