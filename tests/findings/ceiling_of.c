float ceiling_of(const float *x, int n)
{
    float top = x[0];
    for (int i = 1; i < n; i++)
        if (top < x[i])
            top = x[i];
    return top;
}
