#include <vector>

void offset(const std::vector<int> &x, int n, std::vector<int> &y) {
  const int *from = x.data();
  int *to = y.data();
  for (int i = 0; i < n; ++i)
    to[i] += 3 * from[i];
}
