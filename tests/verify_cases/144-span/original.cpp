#include <cstdint>
#include <span>

/* kernwright
[args]
n = "u32"
x = "in u16[n]"
return = "u16"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 50_000
[build]
flags = ["-O2", "-march=native", "-std=c++20"]
*/
std::uint16_t brightest(unsigned n, std::span<const std::uint16_t> x) {
  std::uint16_t top = 0;
  for (unsigned i = 0; i < n; ++i)
    if (x[i] > top)
      top = x[i];
  return top;
}
