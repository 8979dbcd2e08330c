float energy(const float *x, int n)
{
    float e = 0.0f;
    for (int i = 0; i < n; i++)
        e += x[i] * x[i];
    return e;
}
