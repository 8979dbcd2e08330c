#include <stddef.h>

/* kernwright
[args]
rows = "u64"
cols = "u64"
weight = "in f32[rows] in 0..1"
table = "in f32[rows, cols] in 0..1"
total = "out f32[cols]"
[check]
rows = [0, 1, 7, 64]
cols = [0, 1, 8, 33]
no_overlap = true
[time]
rows = 256
cols = 256
*/
/* Weighted total of each column of a row-major table. */
void column_totals(size_t rows, size_t cols, const float *weight, const float *table, float *total)
{
    for (size_t c = 0; c < cols; ++c) {
        float t = 0.0f;
        for (size_t r = 0; r < rows; ++r)
            t += weight[r] * table[r * cols + c];
        total[c] = t;
    }
}
