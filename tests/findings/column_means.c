void column_means(int rows, int cols, const float *restrict table, float *restrict mean)
{
    for (int c = 0; c < cols; c++) {
        float t = 0.0f;
        for (int r = 0; r < rows; r++)
            t += table[r * cols + c];
        mean[c] = t / rows;
    }
}
