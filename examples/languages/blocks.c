/* A code that owns blocks of cells and moves them itself. Blocks at the surface of a moving sphere
 * are divided into eight, and merged behind it. mpirun -n 2 blocks_c */
#include <evenkeel/c.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { side = 4, roots = side * side * side, cells = 512, steps = 60, most = 8 * roots };

/* Part 0 is the whole root, and 1 to 8 are its eighths. The id is 9 * root + part. */
typedef struct {
  int64_t id;
  double cell[cells];
} block;

static block blocks[most], fresh[most]; /* of this rank */
static int64_t count = 0;

static void require(int status) {
  if (status == EK_SUCCESS) return;
  fprintf(stderr, "%s\n", ek_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int is_at_surface(int64_t root, int step) {
  const double x = (double)(root / (side * side)) + 0.5 - (double)side * step / steps;
  const double y = (double)(root / side % side) - 1.5, z = (double)(root % side) - 1.5;
  const double square = x * x + y * y + z * z;
  return square > 0.5 && square < 3.5;
}

/* New blocks begin on the rank of the old one. The first of eight replaces all when they merge. */
static void refine(int step) {
  int64_t made = 0;
  for (int64_t b = 0; b < count; ++b) {
    const int64_t root = blocks[b].id / 9, part = blocks[b].id % 9;
    const int fine = is_at_surface(root, step);
    if (!fine && part > 1) continue;
    const int64_t first = !fine ? 0 : part > 0 ? part : 1, last = fine && part == 0 ? 8 : first;
    for (int64_t p = first; p <= last; ++p) {
      fresh[made] = blocks[b];
      fresh[made++].id = 9 * root + p;
    }
  }
  memcpy(blocks, fresh, sizeof(block) * (size_t)made);
  count = made;
}

/* An eighth was made from the root, and a root from its eighths. */
static void describe(ek_block_balancer* balancer) {
  static int64_t id[most], first_parent[most + 1], parent[8 * most];
  static double bytes[most], weight[most], centre[3 * most];
  for (int64_t b = 0; b < count; ++b) {
    const int64_t root = blocks[b].id / 9, part = blocks[b].id % 9;
    const int64_t place[] = {root / (side * side), root / side % side, root % side};
    id[b] = blocks[b].id;
    bytes[b] = sizeof(block);
    weight[b] = part > 0 ? 2 : 1;
    for (int d = 0; d < 3; ++d)
      centre[3 * b + d] = (double)place[d] + (part == 0 ? 0.5 : (part - 1) >> d & 1 ? 0.75 : 0.25);
    first_parent[b + 1] = first_parent[b] + (part > 0 ? 1 : 8);
    for (int64_t p = first_parent[b]; p < first_parent[b + 1]; ++p)
      parent[p] = 9 * root + (part > 0 ? 0 : p - first_parent[b] + 1);
  }
  ek_blocks all = {0};
  all.size = sizeof all;
  all.count = count;
  all.id = id;
  all.bytes = bytes;
  all.weight = weight;
  all.centre = centre;
  all.first_parent = first_parent;
  all.parent = parent;
  require(ek_block_balancer_describe(balancer, &all));
}

static void advance(block* of) {
  for (int s = 0; s < (of->id % 9 > 0 ? 40 : 20); ++s)
    for (int c = 0; c < cells; ++c) of->cell[c] += 1 / (1 + of->cell[c]);
}

/* Both ranks have the blocks between them in the same order. */
static void move(const ek_block_proposal* wanted) {
  static MPI_Request requests[2 * most];
  int open = 0;
  for (int64_t a = 0; a < wanted->arriving_count; ++a)
    MPI_Irecv(&fresh[a], sizeof(block), MPI_BYTE, wanted->arriving[a].from, 0, MPI_COMM_WORLD,
              &requests[open++]);
  for (int64_t l = 0; l < wanted->leaving_count; ++l) {
    int64_t b = 0;
    while (blocks[b].id != wanted->leaving[l].id) ++b;
    MPI_Send(&blocks[b], sizeof(block), MPI_BYTE, wanted->leaving[l].to, 0, MPI_COMM_WORLD);
    blocks[b] = blocks[--count];
  }
  MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
  for (int64_t a = 0; a < wanted->arriving_count; ++a) blocks[count++] = fresh[a];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int64_t root = 0; rank == 0 && root < roots; ++root) blocks[count++].id = 9 * root;

  ek_block_balancer* balancer = NULL;
  require(ek_block_balancer_create((int)MPI_Comm_c2f(MPI_COMM_WORLD), "price_of_moving = 1",
                                   &balancer));
  describe(balancer);
  for (int step = 1; step <= steps; ++step) {
    for (int64_t b = 0; b < count; ++b) {
      require(ek_block_begin(balancer, blocks[b].id));
      advance(&blocks[b]);
      require(ek_block_end(balancer, blocks[b].id));
    }
    const int refines = step % 5 == 0;
    if (refines) {
      refine(step);
      describe(balancer);
    }
    const ek_block_proposal* wanted = NULL; /* collective; null if moving does not pay */
    require(ek_block_balancer_step(balancer, 1, refines, &wanted));
    if (wanted != NULL) {
      move(wanted);
      require(ek_accept(balancer));
    }
  }
  require(ek_finish(balancer));

  uint64_t checksum = 0, bits = 0; /* the sum of the bits of all cells */
  for (int64_t b = 0; b < count; ++b)
    for (int c = 0; c < cells; ++c) {
      memcpy(&bits, &blocks[b].cell[c], sizeof bits);
      checksum += bits;
    }
  MPI_Allreduce(MPI_IN_PLACE, &checksum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("rank 0 has %lld blocks, checksum %016llx\n", (long long)count,
           (unsigned long long)checksum);
  ek_free(balancer);
  require(ek_stop());
  MPI_Finalize();
  return 0;
}
