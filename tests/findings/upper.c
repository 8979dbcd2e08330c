#include <string.h>

void upper(char *text)
{
    for (size_t i = 0; i < strlen(text); i++)
        if (text[i] >= 'a' && text[i] <= 'z')
            text[i] -= 32;
}
