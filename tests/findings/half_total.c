float half_total(const _Float16 *x, int n)
{
    _Float16 s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return (float)s;
}
