void butterfly(float *p, float *q, float *r, float *s, const float *a, const float *b, const float *c, const float *d,
               int n)
{
    for (int i = 0; i < n; i++) {
        p[i] = a[i] + b[i];
        q[i] = a[i] - b[i];
        r[i] = c[i] + d[i];
        s[i] = c[i] - d[i];
    }
}
