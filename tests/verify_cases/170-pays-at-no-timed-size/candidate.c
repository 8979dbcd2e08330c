void decode(int n, const unsigned short *x, unsigned short *y) {
  unsigned short table[65536];
  table[0] = 0;
  for (unsigned v = 1; v < 65536; ++v)
    table[v] = (unsigned short)(table[v >> 1] >> 1 | (v & 1) << 15);
  for (int i = 0; i < n; ++i)
    y[i] = table[x[i]];
}
