/* kernwright
[args]
n = "i32"
x = "in f64[n] in -1..1"
y = "out f64[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
void energy(int n, const double *x, double *y) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[i];
}
