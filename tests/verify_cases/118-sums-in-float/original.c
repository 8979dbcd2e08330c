/* kernwright
[args]
n = "i32"
x = "in f32[n] in 0..1"
return = "f64"
[check]
n = [1, 7, 64, 1000]
tolerance = {rel = 1e-9}
where = "n >= 1"
[time]
n = 50_000
*/
double mean_power(int n, const float *x) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += (double)x[i] * x[i];
  return s / n;
}
