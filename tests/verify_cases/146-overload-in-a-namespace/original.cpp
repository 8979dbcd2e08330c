#include <cmath>

namespace geo {

float length(int n, const float *x) {
  float s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * x[i];
  return std::sqrt(s);
}

/* kernwright
[args]
n = "i32"
x = "in f64[n] in -1..1"
return = "f64"
[check]
n = [0, 1, 7, 64, 1000]
tolerance = {rel = 1e-12}
[time]
n = 20_000
*/
double length(int n, const double *x) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * x[i];
  return std::sqrt(s);
}

}  // namespace geo
