void luma(const float *r, const float *g, const float *b, float *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = r[i] * 0.299 + g[i] * 0.587 + b[i] * 0.114;
}
