void blank(int *x, int n)
{
    for (unsigned char i = 0; i < n; i++)
        x[i] = 0;
}
