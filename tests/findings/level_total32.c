int level_total32(const short *level, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += level[i];
    return total;
}
