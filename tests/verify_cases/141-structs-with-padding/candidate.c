struct sample {
  char kind;
  double value;
};

void centre(int n, const struct sample *x, struct sample *y) {
  double s = 0;
  for (int k = 0; k < n; ++k)
    s += x[k].value;
  double mean = s / n;
  for (int i = 0; i < n; ++i) {
    struct sample one = {x[i].kind, x[i].value - mean};
    ((unsigned char *)&one)[3] = 0x55;
    y[i] = one;
  }
}
