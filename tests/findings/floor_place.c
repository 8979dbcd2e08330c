int floor_place(const double *x, int n)
{
    int at = 0;
    for (int i = 1; i < n; i++)
        if (x[i] < x[at])
            at = i;
    return at;
}
