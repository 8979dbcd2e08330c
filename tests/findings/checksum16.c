short level_total(const short *level, int n)
{
    short total = 0;
    for (int i = 0; i < n; i++)
        total += level[i];
    return total;
}
