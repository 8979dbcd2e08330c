int loud_samples(const float *x, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        count += x[i] > 0.7;
    return count;
}
