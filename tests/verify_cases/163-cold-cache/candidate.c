void pick(int m, int q, const int *x, const int *k, int *y) {
  for (int j = 0; j < q; ++j) {
    int from = 0, count = m;
    while (count > 0) {
      int half = count / 2;
      if (x[from + half] <= k[j]) {
        from += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    y[j] = from;
  }
}
