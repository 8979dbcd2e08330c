#include <iostream>

long long differences(int n, const int *x) {
  long long s = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    s -= x[i] / 2;
  }
  return s * n;
}
