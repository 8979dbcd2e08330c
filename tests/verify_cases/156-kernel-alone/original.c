typedef struct {
  int mass;
  int size;
} item;

static int density(item i) { return i.size ? i.mass * 16 / i.size : 0; }

/* kernwright
[args]
n = "i32"
x = "in item[n] in 0..1000"
y = "out i32[n]"
[check]
n = [0, 1, 7, 64, 300]
[time]
n = 400
*/
void grade(int n, const item *x, int *y) {
  for (int i = 0; i < n; ++i) {
    int below = 0;
    for (int j = 0; j < n; ++j)
      if (density(x[j]) < density(x[i]))
        ++below;
    y[i] = below;
  }
}
