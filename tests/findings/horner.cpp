#include <vector>

double horner(const std::vector<double> &c, double x)
{
    double y = 0.0;
    for (std::size_t i = 0; i < c.size(); i++)
        y = y * x + c[i];
    return y;
}
