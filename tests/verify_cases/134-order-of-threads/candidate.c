void collect(int n, const int *x, int *y) {
  int at = 0;
#pragma omp parallel for schedule(dynamic, 256)
  for (int i = 0; i < n; ++i)
    if (x[i] % 3 == 0) {
      int mine;
#pragma omp atomic capture
      mine = at++;
      y[mine] = x[i];
    }
  for (; at < n; ++at)
    y[at] = 0;
}
