#include <cmath>

namespace geo {

float length(int n, const float *x) {
  float s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * x[i];
  return std::sqrt(s);
}

double length(int n, const double *x) {
  double s[16] = {};
  int i = 0;
  for (; i + 16 <= n; i += 16)
    for (int k = 0; k < 16; ++k)
      s[k] += x[i + k] * x[i + k];
  for (; i < n; ++i)
    s[0] += x[i] * x[i];
  double all = 0;
  for (double part : s)
    all += part;
  return std::sqrt(all);
}

}  // namespace geo
