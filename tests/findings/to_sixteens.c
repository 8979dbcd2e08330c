void to_sixteens(int *restrict row, const int *restrict place, int n)
{
    for (int i = 0; i < n; i++)
        row[i] = place[i] / 16;
}
