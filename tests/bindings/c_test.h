/* What the tests of the C interface share. */
#ifndef EVENKEEL_C_TEST_H
#define EVENKEEL_C_TEST_H

#include <evenkeel/c.h>

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0, rank = 0, ranks = 1;

static inline void check(int condition, const char* what, int line) {
  if (condition) return;
  ++failures;
  fprintf(stderr, "rank %d, line %d: %s (%s)\n", rank, line, what, ek_message());
}
#define CHECK(condition) check((condition), #condition, __LINE__)
#define WORKS(call) CHECK((call) == EK_SUCCESS)

static inline void fails(int status, int expected, const char* text, int line) {
  check(status == expected, "another status was expected", line);
  check(strstr(ek_message(), text) != NULL, text, line);
}
#define FAILS(call, status, text) fails((call), (status), (text), __LINE__)

static inline int world(void) { return (int)MPI_Comm_c2f(MPI_COMM_WORLD); }

static inline double uniform(unsigned* state) {
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) / 16777216.0;
}

static inline int64_t sum_of(int64_t mine) {
  int64_t all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static inline void begin_test(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}
static inline int end_test(void) {
  WORKS(ek_stop());
  failures = (int)sum_of(failures);
  MPI_Finalize();
  return failures > 0;
}

#endif
