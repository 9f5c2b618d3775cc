/* An American put: one implicit step of the Black-Scholes equation per time level. The value above the
 * payoff is complementary to the loss of waiting. */
#include <stdio.h>
#include <string.h>

#include "complementarity.h"

enum { N = 119, STEPS = 20 };

int main(void) {
  const double strike = 100.0, rate = 0.05, sigma = 0.3, top = 300.0, dt = 1.0 / STEPS;
  const double ds = top / (N + 1);
  double low[N], high[N], payoff[N], value[N], q[N], above[N];
  double entry[3 * N];
  int64_t start[N + 1], row[3 * N], k = 0;
  for (int i = 0; i < N; i++) {
    double s = i + 1.0;
    low[i] = dt * (0.5 * sigma * sigma * s * s - 0.5 * rate * s);
    high[i] = dt * (0.5 * sigma * sigma * s * s + 0.5 * rate * s);
    payoff[i] = s * ds < strike ? strike - s * ds : 0.0;
  }
  for (int j = 0; j < N; j++) {
    start[j] = k;
    if (j > 0) row[k] = j - 1, entry[k++] = -high[j - 1];
    row[k] = j, entry[k++] = 1.0 + low[j] + high[j] + dt * rate;
    if (j + 1 < N) row[k] = j + 1, entry[k++] = -low[j + 1];
  }
  start[N] = k;
  memcpy(value, payoff, sizeof value);
  memset(above, 0, sizeof above);
  complementarity_columns m = {start, row, entry};
  complementarity_result result = {.z = above};
  int32_t code = 0;
  for (int step = 0; step < STEPS && code == 0; step++) {
    for (int i = 0; i < N; i++) q[i] = -value[i];
    for (int j = 0; j < N; j++)
      for (int64_t e = start[j]; e < start[j + 1]; e++) q[row[e]] += entry[e] * payoff[j];
    q[0] -= low[0] * strike; /* the value at s = 0 */
    code = complementarity_solve_sparse(N, &m, q, NULL, NULL, NULL, &result);
    result.warm = 1; /* the next level begins where this one ended */
    for (int i = 0; i < N; i++) value[i] = payoff[i] + above[i];
  }
  printf("put %d: %.2f\n", code, value[(int)(strike / ds + 0.5) - 1]);
  return 0;
}
