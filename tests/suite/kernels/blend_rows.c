/* kernwright
[args]
rows = "u32 in 0..400"
cols = "u32 in 0..400"
stride = "u32 in 0..512"
dst = "inout u16[rows*stride]"
src = "in u16[rows*stride]"
[check]
rows = [0, 1, 5]
cols = [0, 1, 17, 64]
stride = [64, 80]
where = "cols <= stride"
no_overlap = true
[time]
rows = 200
cols = 300
stride = 320
*/
/* dst(r, c) += src(r, c) over a window of a larger picture. */
void blend_rows(unsigned rows, unsigned cols, unsigned stride, unsigned short *restrict dst,
                const unsigned short *restrict src)
{
    for (unsigned r = 0; r < rows; r++)
        for (unsigned c = 0; c < cols; c++)
            dst[r * stride + c] += src[r * stride + c];
}
