void butterfly_restrict(float *restrict p, float *restrict q, float *restrict r, float *restrict s,
                        const float *restrict a, const float *restrict b, const float *restrict c,
                        const float *restrict d, int n)
{
    for (int i = 0; i < n; i++) {
        p[i] = a[i] + b[i];
        q[i] = a[i] - b[i];
        r[i] = c[i] + d[i];
        s[i] = c[i] - d[i];
    }
}
