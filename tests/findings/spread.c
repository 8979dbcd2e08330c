float spread(const float *x, int n)
{
    float s = 0.0f, q = 0.0f;
    for (int i = 0; i < n; i++) {
        s += x[i];
        q += x[i] * x[i];
    }
    return q / n - (s / n) * (s / n);
}
