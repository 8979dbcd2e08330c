void scale_by(float *restrict y, const float *restrict x, float total, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] / total;
}
