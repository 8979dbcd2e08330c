void peak(const int *x, int n, int *peak) {
  for (int start = 0; start < n; start += 256) {
    int stop = n - stop < 256 ? n : start + 256;
    for (int i = start; i < stop; i++)
      *peak = x[i] > *peak ? x[i] : *peak;
  }
}
