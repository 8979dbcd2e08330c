#include <string.h>

void upper_hoisted(char *text)
{
    const size_t length = strlen(text);
    for (size_t i = 0; i < length; i++)
        text[i] &= 0x5f;
}
