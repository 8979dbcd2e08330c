/* kernwright
[args]
n = "u64"
x = "in i32[n]"
y = "inout i32[n]"
[check]
n = [0, 1, 7, 64, 1000]
no_overlap = true
[time]
n = 50_000
*/
void mix(unsigned long n, int *x, int *y) {
  for (unsigned long i = 0; i < n; ++i) {
    volatile int first = *x;
    y[i] += first / 3;
    y[i] ^= x[i];
  }
}
