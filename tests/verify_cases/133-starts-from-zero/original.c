/* kernwright
[args]
n = "i32"
x = "in f64[n] in -1..1"
state = "inout f64[1] in 0..0.5"
y = "out f64[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
void advance(int n, const double *x, double *state, double *y) {
  for (int i = 0; i < n; ++i) {
    *state = *state * 0.5 + x[i];
    y[i] = *state;
  }
}
