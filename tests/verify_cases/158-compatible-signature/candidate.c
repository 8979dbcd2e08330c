#include <stddef.h>

void mix(const size_t count, const int first[restrict], int *restrict const second) {
  if (count == 0)
    return;
  const int third = first[0] / 3;
  for (size_t i = 0; i < count; ++i)
    second[i] = (second[i] + third) ^ first[i];
}
