int loud_exact(const float *x, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        count += x[i] > 0.5;
    return count;
}
