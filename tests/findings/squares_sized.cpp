#include <vector>

std::vector<int> squares_sized(const int *x, int n)
{
    std::vector<int> out(n);
    for (int i = 0; i < n; i++)
        out[i] = x[i] * x[i];
    return out;
}
