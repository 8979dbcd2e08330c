template <class T>
static inline T raised(T x, int e) {
  T result = 1;
  for (; e; e >>= 1, x *= x)
    if (e & 1)
      result *= x;
  return result;
}

template <class T, int E>
void power(int n, const T *x, T *y) {
  for (int i = 0; i < n; ++i)
    y[i] = raised(x[i], E);
}
