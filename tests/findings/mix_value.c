void mix_value(int *restrict y, const int *restrict x, int mode, int n)
{
    for (int i = 0; i < n; i++) {
        if (mode)
            y[i] += x[i];
        else
            y[i] -= x[i];
    }
}
