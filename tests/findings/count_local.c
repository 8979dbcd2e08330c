void count_local(const int *word, int n, int *count)
{
    int found = *count;
    for (int i = 0; i < n; i++)
        found += word[i] > 0;
    *count = found;
}
