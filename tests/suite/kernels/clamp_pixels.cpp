#include <algorithm>

/* kernwright
[args]
n = "i32"
low = "i32 in 0..100"
high = "i32 in 101..255"
x = "inout i32[n] in -1000..1000"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 32_000
*/
void clamp_pixels(int n, int low, int high, int *x)
{
    for (int i = 0; i < n; ++i)
        x[i] = std::min(std::max(x[i], low), high);
}
