void shift_window(float *out, const float *in, unsigned rows, unsigned cols, unsigned first)
{
    for (unsigned r = 0; r < rows; r++)
        for (unsigned c = 0; c < cols; c++)
            out[r * cols + c] = in[(r + first) * cols + c];
}
