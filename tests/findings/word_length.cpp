int word_length(const char *text, int limit)
{
    for (int i = 0; i < limit; i++) {
        if (text[i] == ' ')
            return i;
    }
    return limit;
}
