/* Complementarity problems for C and whoever can call C.
 *
 *   l <= z <= u,   w = M z + q  or  w = F(z):
 *   w >= 0 where z = l,  w <= 0 where z = u,  w = 0 between them.
 *
 * Infinite bounds are +-INFINITY; a null pointer for l means 0, for u infinity. All functions return
 * one of the codes below; nothing is kept between calls, and calls from many threads are fine.
 */
#ifndef COMPLEMENTARITY_H
#define COMPLEMENTARITY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  COMPLEMENTARITY_SOLVED = 0,
  COMPLEMENTARITY_ITERATION_LIMIT = 1,
  COMPLEMENTARITY_RAY = 2,
  COMPLEMENTARITY_STALLED = 3,
  COMPLEMENTARITY_NUMERICAL = 4,
  COMPLEMENTARITY_STOPPED = 5,
  COMPLEMENTARITY_NO_SOLUTION = 6,
  COMPLEMENTARITY_WRONG_INPUT = -1 /* complementarity_message says what and where */
};

/* What came of it; the caller provides z, w with room for n numbers each. */
typedef struct {
  double *z;         /* out: the unknowns; in: the start, where `warm` is not zero */
  double *w;         /* out: M z + q or F(z); may be null */
  int32_t warm;      /* in: z holds a start */
  double tolerance;  /* in: residual accepted; 0 for 1e-8 (linear) or 1e-10 (nonlinear) */
  size_t iterations; /* out */
  double residual;   /* out: max |mid(z - l, w, z - u)| */
  /* in: asked in every iteration; anything but 0 ends the solve with COMPLEMENTARITY_STOPPED, so that a
   * program that catches Ctrl-C can end it; may be null */
  int32_t (*stop)(void *stop_data);
  void *stop_data; /* in: handed to stop */
} complementarity_result;

/* M dense, column by column. `solver` names a method, null means "auto". */
int32_t complementarity_solve_dense(size_t n, const double *m, const double *q, const double *l,
                                    const double *u, const char *solver,
                                    complementarity_result *result);

/* M in compressed columns: values and rows of entries column_start[j] .. column_start[j + 1], 0-based. */
typedef struct {
  const int64_t *column_start; /* n + 1 numbers */
  const int64_t *row;
  const double *value;
} complementarity_columns;

int32_t complementarity_solve_sparse(size_t n, const complementarity_columns *m, const double *q,
                                     const double *l, const double *u, const char *solver,
                                     complementarity_result *result);

/* Writes F(z) into f; anything but 0 ends the solve. */
typedef int32_t (*complementarity_function)(size_t n, const double *z, double *f, void *data);
/* Writes the Jacobian into j, n * n numbers column by column; null: by differences. */
typedef int32_t (*complementarity_jacobian)(size_t n, const double *z, double *j, void *data);

typedef struct {
  complementarity_function f;
  complementarity_jacobian jacobian;
  void *data;
} complementarity_map;

int32_t complementarity_solve_nonlinear(size_t n, const complementarity_map *map, const double *l,
                                        const double *u, complementarity_result *result);

/* What went wrong in the last call of this thread; valid until its next call. */
const char *complementarity_message(void);

#ifdef __cplusplus
}
#endif
#endif
