#include <cstdint>

std::uint32_t packet_sum(const unsigned char *packet, int header, int words)
{
    const auto *w = reinterpret_cast<const std::uint32_t *>(packet + header);
    std::uint32_t s = 0;
    for (int i = 0; i < words; i++)
        s += w[i];
    return s;
}
