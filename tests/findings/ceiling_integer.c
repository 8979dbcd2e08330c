int ceiling_integer(const int *x, int n)
{
    int top = x[0];
    for (int i = 1; i < n; i++)
        if (top < x[i])
            top = x[i];
    return top;
}
