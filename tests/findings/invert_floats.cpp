#include <vector>

void invert_floats(const std::vector<float> &in, float *__restrict out)
{
    for (std::size_t i = 0; i < in.size(); i++)
        out[i] = 1.0f - in[i];
}
