#include <stddef.h>

void shift_size(float *restrict out, const float *restrict in, size_t rows, size_t cols, size_t first)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++)
            out[r * cols + c] = in[(r + first) * cols + c];
}
