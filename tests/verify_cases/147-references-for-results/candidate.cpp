void range(int n, const int *x, int &low, int &high) {
  int l = low, h = high;
  for (int i = 0; i < n; ++i) {
    l = x[i] < l ? x[i] : l;
    h = x[i] > h ? x[i] : h;
  }
  low = l;
  high = h;
}
