void vector_twice(int n, const int *x, int *y);

void twice(int n, const int *x, int *y) { vector_twice(n, x, y); }
