#include <functional>

void map_function(float *x, int n, const std::function<float(float)> &f)
{
    for (int i = 0; i < n; i++)
        x[i] = f(x[i]);
}
