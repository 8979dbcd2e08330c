#include <vector>

double likelihood(const std::vector<double> &p)
{
    double product = 1.0;
    for (std::size_t i = 0; i < p.size(); i++)
        product *= p[i];
    return product;
}
