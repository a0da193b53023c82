/* A balanced program in C: all objects begin on rank 0. mpirun -n 2 first_c */
#include <evenkeel/c.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(int status) {
  if (status == EK_SUCCESS) return;
  fprintf(stderr, "%s\n", ek_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  ek_balancer* balancer = NULL;
  ek_kernel* force = NULL;
  require(ek_balancer_create((int)MPI_Comm_c2f(MPI_COMM_WORLD), "method = hilbert", &balancer));
  require(ek_kernel_of(balancer, "force", 0, &force));

  int64_t count = rank == 0 ? 6000 : 0;
  double* x = calloc(3 * (size_t)count + 1, sizeof(double));
  double* mass = calloc((size_t)count + 1, sizeof(double));
  for (int64_t i = 0; i < count; ++i) x[3 * i + i % 3] = (double)i;

  ek_field position = ek_field_on_heap((void**)&x, EK_DOUBLE, 3, count);
  ek_field masses = ek_field_on_heap((void**)&mass, EK_DOUBLE, 1, count);
  ek_field* carried[] = {&masses};
  ek_set objects = {0};
  objects.size = sizeof objects;
  objects.position = &position;
  objects.carried = carried;
  objects.carried_count = 1;
  objects.count = &count;

  for (int step = 0; step < 60; ++step) {
    require(ek_kernel_begin(force));
    for (int64_t i = 0; i < count; ++i)
      for (int k = 1; k < 100; ++k) mass[i] += 1 / (k + x[3 * i]);
    require(ek_kernel_end(force));
    /* Collective. Moves only when worth it; then x, mass and count are new. */
    require(ek_balancer_step(balancer, &objects, 1, 1, 0, NULL));
  }
  require(ek_finish(balancer));

  uint64_t sums[2] = {0, (uint64_t)count}; /* the sum of the bits of all masses */
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = 0;
    memcpy(&bits, &mass[i], sizeof bits);
    sums[0] += bits;
  }
  MPI_Allreduce(MPI_IN_PLACE, &sums[0], 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("rank 0 has %llu objects, checksum %016llx\n", (unsigned long long)sums[1],
           (unsigned long long)sums[0]);
  ek_free(balancer);
  free(x);
  free(mass);
  require(ek_stop());
  MPI_Finalize();
  return 0;
}
