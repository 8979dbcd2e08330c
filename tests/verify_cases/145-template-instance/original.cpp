/* kernwright
[args]
n = "i32"
x = "in u32[n]"
y = "out u32[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
[build]
instantiate = "power<unsigned, 16>"
*/
template <class T, int E>
void power(int n, const T *x, T *y) {
  for (int i = 0; i < n; ++i) {
    volatile T p = 1;
    for (int k = 0; k < E; ++k)
      p = p * x[i];
    y[i] = p;
  }
}
