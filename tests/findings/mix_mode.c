struct options { int mode; };

void mix_mode(int *y, const int *x, const struct options *o, int n)
{
    for (int i = 0; i < n; i++) {
        if (o->mode)
            y[i] += x[i];
        else
            y[i] -= x[i];
    }
}
