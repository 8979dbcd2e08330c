double spread_double(const int *x, int n)
{
    long s = 0, q = 0;
    for (int i = 0; i < n; i++) {
        s += x[i];
        q += (long)x[i] * x[i];
    }
    return (double)q / n - ((double)s / n) * ((double)s / n);
}
