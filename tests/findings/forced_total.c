double forced_total(const double *x, int n)
{
    double s = 0.0;
#pragma clang loop vectorize(enable)
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}
