void row_totals(int rows, int cols, const int *restrict table, int *restrict total)
{
    for (int r = 0; r < rows; r++) {
        int t = 0;
        for (int c = 0; c < cols; c++)
            t += table[r * cols + c];
        total[r] = t;
    }
}
