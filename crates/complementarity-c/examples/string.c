/* A string under its weight over a peg: the gap to it is complementary to its force. */
#include <stdio.h>

#include "complementarity.h"

enum { N = 39 };

int main(void) {
  const double tension = 1.0, weight = 2.0, h = 1.0 / (N + 1); /* N, N/m, m */
  int64_t start[N + 1], row[3 * N];
  double value[3 * N], q[N], peg[N], gap[N], force[N];
  for (int i = 0; i < N; i++) {
    double x = (i + 1) * h;
    peg[i] = x > 0.4 - 1e-9 && x < 0.6 + 1e-9 ? -0.05 : -1.0; /* m */
  }
  /* force = weight h + tension (-y[i-1] + 2 y[i] - y[i+1]) / h,  y = peg + gap */
  int64_t k = 0;
  for (int j = 0; j < N; j++) {
    start[j] = k;
    for (int i = j - 1; i <= j + 1; i++) {
      if (i < 0 || i >= N) continue;
      row[k] = i;
      value[k++] = (i == j ? 2.0 : -1.0) * tension / h;
    }
    q[j] = weight * h;
  }
  start[N] = k;
  for (int j = 0; j < N; j++)
    for (int64_t e = start[j]; e < start[j + 1]; e++) q[row[e]] += value[e] * peg[j];
  complementarity_columns m = {start, row, value};
  complementarity_result result = {.z = gap, .w = force};
  int32_t code = complementarity_solve_sparse(N, &m, q, NULL, NULL, NULL, &result);
  double sum = 0.0;
  for (int i = 0; i < N; i++) sum += force[i];
  double ends = -tension * (peg[0] + gap[0] + peg[N - 1] + gap[N - 1]) / h;
  printf("string %d: peg %.6f ends %.6f weight %.6f\n", code, sum, ends, weight * h * N);
  return 0;
}
