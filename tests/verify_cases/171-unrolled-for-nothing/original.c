/* kernwright
[args]
n = "i32"
x = "in f64[n] in 0..1"
return = "f64"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
double chain(int n, const double *x) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s = s * 0.5 + x[i];
  return s;
}
