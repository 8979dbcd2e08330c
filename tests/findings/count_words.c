void count_words(const int *word, int n, int *count)
{
    for (int i = 0; i < n; i++)
        *count += word[i] > 0;
}
