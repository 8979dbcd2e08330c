void scale_each(float *restrict y, const float *restrict x, const float *restrict total, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] / total[i];
}
