int find(int n, int key, const int *x) {
  int *mine = (int *)x, i = 0;
  if (n == 0)
    return 0;
  int last = mine[n - 1];
  mine[n - 1] = key;
  while (mine[i] != key)
    ++i;
  mine[n - 1] = last;
  return i < n - 1 ? i : last == key ? n - 1 : n;
}
