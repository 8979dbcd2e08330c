void cascade_ordered(int n, float *restrict a, float *restrict b, const float *restrict c)
{
    for (int i = 1; i < n; i++) {
        b[i] = c[i] * 2.0f;
        a[i] = b[i - 1] + c[i];
    }
}
