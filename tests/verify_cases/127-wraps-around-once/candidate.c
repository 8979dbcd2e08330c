void ring(int q, int m, const int *ring, const int *at, int *y) {
  for (int i = 0; i < q; ++i) {
    int k = at[i];
    k += k < 0 ? m : 0;
    k -= k >= m ? m : 0;
    y[i] = ring[k];
  }
}
