#include <vector>

std::vector<int> squares_of(const int *x, int n)
{
    std::vector<int> out;
    for (int i = 0; i < n; i++)
        out.push_back(x[i] * x[i]);
    return out;
}
