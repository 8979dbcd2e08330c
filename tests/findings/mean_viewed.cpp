#include <vector>

int total_viewed(const std::vector<int> &x)
{
    int s = 0;
    for (int v : x)
        s += v;
    return s;
}
