void apply_restrict(int rows, int cols, const int *restrict a, const int *restrict x, int *restrict y)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            y[r] += a[r * cols + c] * x[c];
}
