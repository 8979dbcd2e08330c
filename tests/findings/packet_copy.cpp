#include <cstdint>
#include <cstring>

std::uint32_t packet_copy(const unsigned char *packet, int header, int words)
{
    std::uint32_t s = 0;
    for (int i = 0; i < words; i++) {
        std::uint32_t w;
        std::memcpy(&w, packet + header + 4 * i, sizeof w);
        s += w;
    }
    return s;
}
