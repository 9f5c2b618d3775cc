/* Ctrl-C ends a solve, not the program: a string over a floor by Gauss-Seidel, tens of thousands of sweeps,
 * stopped by a signal. */
#include <signal.h>
#include <stdio.h>

#include "complementarity.h"

enum { N = 400 };

static volatile sig_atomic_t interrupted = 0;

static void note(int number) { interrupted = number; }

/* Asked in every iteration. Here the signal comes from the program itself, at the hundredth question. */
static int32_t stop(void *data) {
  long *count = data;
  if (++*count == 100) raise(SIGINT);
  return interrupted != 0;
}

int main(void) {
  static double m[N * N], q[N], z[N];
  for (int j = 0; j < N; j++) {
    q[j] = -1e-3;
    m[j * N + j] = 2;
    if (j > 0) m[j * N + j - 1] = m[(j - 1) * N + j] = -1;
  }
  signal(SIGINT, note);
  long count = 0;
  complementarity_result result = {.z = z, .stop = stop, .stop_data = &count};
  int32_t code = complementarity_solve_dense(N, m, q, NULL, NULL, "pgs", &result);
  printf("interrupted %s after %ld questions\n", code == COMPLEMENTARITY_STOPPED ? "yes" : "no", count);
  return 0;
}
