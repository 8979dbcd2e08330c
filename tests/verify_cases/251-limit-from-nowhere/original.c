/* kernwright
[args]
n = "i32"
x = "in i32[n]"
peak = "inout i32[1]"
[check]
n = [0, 1, 7, 64, 1000]
no_overlap = true
[time]
n = 32_000
*/
void peak(const int *x, int n, int *peak) {
  for (int i = 0; i < n; i++)
    *peak = x[i] > *peak ? x[i] : *peak;
}
