#include <string.h>

void wipe(void *p, unsigned long n) { memset(p, 0, n); }
