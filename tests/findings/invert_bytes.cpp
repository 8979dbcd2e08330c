#include <vector>

void invert_bytes(const std::vector<unsigned char> &in, unsigned char *out)
{
    for (std::size_t i = 0; i < in.size(); i++)
        out[i] = 255 - in[i];
}
