#include <vector>

void halve_plain(std::vector<int> &x)
{
    const int n = static_cast<int>(x.size());
    for (int i = 0; i < n; i++)
        x[i] /= 2;
}
