int first_hole(const int *slot, int n)
{
    for (int i = 0; i < n; i++)
        if (slot[i] == 0)
            return i;
    return -1;
}
