void relax_pairs(int n, float *restrict a, float *restrict b, const float *restrict c)
{
    for (int i = 0; i < n - 1; i++) {
        a[i] = b[i] * c[i];
        b[i] = a[i] * a[i + 1];
    }
}
