unsigned energy_integer(const unsigned short *x, int n)
{
    unsigned e = 0;
    for (int i = 0; i < n; i++)
        e += x[i] * x[i];
    return e;
}
