int total_ready;

__asm__(".section .init,\"ax\",@progbits\n  movl $1, total_ready(%rip)\n  .text\n");

long long total(int n, const int *x) {
  if (!total_ready)
    return 0;
  long long s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i];
  return s;
}
