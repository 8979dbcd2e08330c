#include <cmath>
#include <vector>

static std::vector<double> powers() {
  std::vector<double> all(256);
  for (int k = 0; k < 256; ++k)
    all[static_cast<unsigned>(k)] = std::pow(2.0, k / 16.0);
  return all;
}

void decode(int n, const unsigned char *x, double *y) {
  static const std::vector<double> table = powers();
  const double *from = table.data();
  for (int i = 0; i < n; ++i)
    y[i] = from[x[i]];
}
