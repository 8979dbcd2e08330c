/* kernwright
[args]
n = "i32"
x = "in i32[n] in 0..1000"
y = "out i32[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 200_000
[build]
flags = ["-O3", "-march=native", "-fopenmp"]
*/
void collect(int n, const int *x, int *y) {
  int at = 0;
  for (int i = 0; i < n; ++i)
    if (x[i] % 3 == 0)
      y[at++] = x[i];
  for (; at < n; ++at)
    y[at] = 0;
}
