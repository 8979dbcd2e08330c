#include <cmath>

bool contains_nan(const float *x, int n)
{
    for (int i = 0; i < n; i++) {
        if (std::isnan(x[i]))
            return true;
    }
    return false;
}
