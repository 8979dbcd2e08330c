void forced_scale(double *restrict y, const double *restrict x, int n)
{
#pragma clang loop vectorize(enable)
    for (int i = 0; i < n; i++)
        y[i] = 2.0 * x[i];
}
