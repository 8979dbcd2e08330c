#include <cstddef>
#include <vector>

/* kernwright
[args]
x = "in i32[n]"
n = "i32"
y = "inout i32[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
*/
void offset(const std::vector<int> &x, int n, std::vector<int> &y) {
  for (int i = 0; i < n; ++i)
    y.at(static_cast<std::size_t>(i)) += 3 * x.at(static_cast<std::size_t>(i));
}
