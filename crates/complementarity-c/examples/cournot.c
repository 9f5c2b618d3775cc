/* Two firms that compete in quantities, a linear problem and one that has no solution. */
#include <math.h>
#include <stdio.h>

#include "complementarity.h"

/* Price 10 - q0 - q1, costs 1 and 4 a unit: cost - price + own effect on the price. */
static int32_t profit(size_t n, const double *q, double *f, void *data) {
  const double *cost = data;
  double price = 10.0 - q[0] - q[1];
  for (size_t i = 0; i < n; i++) f[i] = cost[i] - price + q[i];
  return 0;
}

int main(void) {
  double z[2], w[2], cost[2] = {1.0, 4.0};
  complementarity_result result = {.z = z, .w = w};
  complementarity_map map = {profit, NULL, cost};
  int32_t code = complementarity_solve_nonlinear(2, &map, NULL, NULL, &result);
  printf("cournot %d: %.6f %.6f\n", code, z[0], z[1]);

  const double m[4] = {2.0, 1.0, 1.0, 2.0}, q[2] = {-5.0, -6.0};
  code = complementarity_solve_dense(2, m, q, NULL, NULL, "lemke", &result);
  printf("dense %d: %.6f %.6f\n", code, z[0], z[1]);

  const int64_t start[3] = {0, 1, 2}, row[2] = {0, 1};
  const double value[2] = {1.0, 1.0}, upper[2] = {0.5, INFINITY};
  complementarity_columns columns = {start, row, value};
  code = complementarity_solve_sparse(2, &columns, q, NULL, upper, NULL, &result);
  printf("sparse %d: %.6f %.6f, w %.6f\n", code, z[0], z[1], w[0]);

  const double bad[4] = {1.0, NAN, 0.0, 1.0};
  code = complementarity_solve_dense(2, bad, q, NULL, NULL, NULL, &result);
  printf("bad %d: %s\n", code, complementarity_message());
  return 0;
}
