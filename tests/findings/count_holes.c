int count_holes(const int *slot, int n)
{
    int holes = 0;
    for (int i = 0; i < n; i++)
        holes += slot[i] == 0;
    return holes;
}
