#include <cstddef>

namespace stats {

/* kernwright
[args]
count = "u64"
values = "in f64[count] in 0..1"
return = "f64"
[check]
count = [0, 1, 7, 64, 1000]
tolerance = {rel = 1e-9}
[time]
count = 16_000
*/
static double total(const double *values, std::size_t count)
{
    double result = 0.0;
    for (std::size_t i = 0; i != count; ++i)
        result += values[i];
    return result;
}

double mean(const double *values, std::size_t count) { return count ? total(values, count) / count : 0.0; }

} // namespace stats
