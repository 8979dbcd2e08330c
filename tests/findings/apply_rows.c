void apply_rows(int rows, int cols, const int *a, const int *x, int *y)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            y[r] += a[r * cols + c] * x[c];
}
