struct sample {
  char kind;
  double value;
};

/* kernwright
[args]
n = "i32"
x = "in sample[n] in 0..100"
y = "out sample[n]"
[check]
n = [1, 7, 64, 300]
where = "n >= 1"
[time]
n = 500
*/
void centre(int n, const struct sample *x, struct sample *y) {
  for (int i = 0; i < n; ++i) {
    double s = 0;
    for (int k = 0; k < n; ++k)
      s += x[k].value;
    y[i].kind = x[i].kind;
    y[i].value = x[i].value - s / n;
  }
}
