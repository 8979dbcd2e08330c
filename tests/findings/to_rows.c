void to_rows(int *restrict row, const int *restrict place, int width, int n)
{
    for (int i = 0; i < n; i++)
        row[i] = place[i] / width;
}
