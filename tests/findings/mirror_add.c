void mirror_add(int n, double *a, const double *restrict b)
{
    for (int i = 0; i < n; i++)
        a[i] = a[n - 1 - i] * b[i];
}
