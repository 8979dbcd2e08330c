void wipe(void *p, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i)
    ((char *)p)[i] = 0;
}
