void luma_single(const float *restrict r, const float *restrict g, const float *restrict b, float *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = r[i] * 0.299f + g[i] * 0.587f + b[i] * 0.114f;
}
