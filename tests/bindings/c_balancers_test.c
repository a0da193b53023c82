/* The balancers of the C interface whose program moves the data, and ids and ghosts. */

#include "c_test.h"

/* --- Blocks ----------------------------------------------------------------------------------- */

enum { blocks_in_all = 24 };

/* The blocks of this rank. Block b costs 1 + b % 3. */
typedef struct {
  int64_t ids[blocks_in_all];
  double weights[blocks_in_all], centres[3 * blocks_in_all];
  int64_t parents[blocks_in_all];
  ek_blocks described;
} my_blocks;

static void describe(my_blocks* mine, ek_block_balancer* balancer) {
  ek_blocks* const blocks = &mine->described;
  for (int64_t b = 0; b < blocks->count; ++b) {
    mine->weights[b] = 1 + (double)(mine->ids[b] % 3);
    for (int d = 0; d < 3; ++d) mine->centres[3 * b + d] = d == 0 ? (double)mine->ids[b] : 0;
  }
  blocks->size = sizeof *blocks;
  blocks->id = mine->ids;
  blocks->weight = mine->weights;
  blocks->centre = mine->centres;
  WORKS(ek_block_balancer_describe(balancer, blocks));
}

static void carry_out(my_blocks* mine, const ek_block_proposal* wanted) {
  for (int64_t l = 0; l < wanted->leaving_count; ++l) {
    CHECK(wanted->leaving[l].from == rank && wanted->leaving[l].to != rank);
    int64_t b = 0;
    while (b < mine->described.count && mine->ids[b] != wanted->leaving[l].id) ++b;
    CHECK(b < mine->described.count);
    mine->ids[b] = mine->ids[--mine->described.count];
  }
  for (int64_t a = 0; a < wanted->arriving_count; ++a) {
    CHECK(wanted->arriving[a].to == rank);
    mine->ids[mine->described.count++] = wanted->arriving[a].id;
  }
}

static void blocks_get_ranks(void) {
  ek_block_balancer* balancer = NULL;
  WORKS(ek_block_balancer_create(
      world(), "trigger = every 0:0:4; deterministic = on; log = off; price_of_moving = 0",
      &balancer));
  my_blocks mine = {0};
  mine.described.count = rank == 0 ? blocks_in_all : 0;
  for (int b = 0; b < blocks_in_all; ++b) mine.ids[b] = b;
  describe(&mine, balancer);
  int proposals = 0;
  const ek_block_proposal* wanted = NULL;
  for (int step = 1; step <= 20; ++step) {
    for (int64_t b = 0; b < mine.described.count; ++b) {
      WORKS(ek_block_begin(balancer, mine.ids[b]));
      WORKS(ek_block_end(balancer, mine.ids[b]));
    }
    WORKS(ek_block_balancer_step(balancer, 1, 0, &wanted));
    if (wanted == NULL) continue;
    ++proposals;
    CHECK(wanted->map_count == blocks_in_all && wanted->bound <= wanted->lambda);
    CHECK(wanted->lambda < wanted->lambda_before && strlen(wanted->reason) > 0);
    CHECK(sum_of(wanted->leaving_count) == wanted->blocks_moved);
    if (proposals == 1) {
      FAILS(ek_block_balancer_accept(balancer, mine.ids, mine.described.count), EK_BAD_INPUT,
            "block");
    }
    carry_out(&mine, wanted);
    WORKS(ek_block_balancer_accept(balancer, mine.ids, mine.described.count));
    WORKS(ek_note_cost(balancer, 0));
  }
  CHECK(proposals == (ranks > 1));
  double load = 0, most = 0;
  for (int64_t b = 0; b < mine.described.count; ++b) load += 1 + (double)(mine.ids[b] % 3);
  MPI_Allreduce(&load, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  CHECK(sum_of(mine.described.count) == blocks_in_all);
  CHECK(most <= 1.1 * 2 * blocks_in_all / ranks);

  /* a new block replaces block 0 */
  for (int64_t b = 0; b < mine.described.count; ++b) mine.parents[b] = mine.ids[b];
  for (int64_t b = 0; b < mine.described.count; ++b)
    if (mine.ids[b] == 0) mine.ids[b] = 300;
  mine.described.parent = mine.parents;
  describe(&mine, balancer);
  WORKS(ek_block_balancer_step(balancer, 1, 1, &wanted));
  WORKS(ek_finish(balancer));
  FAILS(ek_block_balancer_step(balancer, 1, 0, &wanted), EK_BAD_INPUT, "after finish");
  ek_free(balancer);
}

static void errors_of_blocks(void) {
  const int is_last = rank == ranks - 1; /* all ranks must get an error of the last one */
  ek_block_balancer* balancer = NULL;
  FAILS(ek_block_balancer_create(world(), "consecutive = perhaps", &balancer), EK_BAD_INPUT,
        "consecutive is 'perhaps'");
  FAILS(ek_block_balancer_create(world(), "most_blocks = many", &balancer), EK_BAD_INPUT,
        "most_blocks is 'many'");
  FAILS(ek_block_balancer_create(world(), "most_blocks =", &balancer), EK_BAD_INPUT,
        "most_blocks is ''");
  FAILS(ek_block_balancer_create(world(), "most_blocks = 3; most_blocks = 4", &balancer),
        EK_BAD_INPUT, "given twice");
  FAILS(ek_block_balancer_create(world(), "node_of_rank = 0, a", &balancer), EK_BAD_INPUT,
        "node_of_rank is 'a'");
  FAILS(ek_block_balancer_create(world(), "most_bloks = 3", &balancer), EK_BAD_INPUT, "most_bloks");
  CHECK(balancer == NULL);
  WORKS(ek_block_balancer_create(world(), "log = off\nconsecutive = on", &balancer));
  int64_t ids[] = {2 * rank, 2 * rank + 1}, offsets[] = {0, 1, 0};
  double weights[] = {1, is_last ? NAN : 1};
  ek_blocks blocks = {0};
  blocks.size = sizeof blocks;
  blocks.count = 2;
  FAILS(ek_block_balancer_describe(balancer, is_last ? NULL : &blocks), EK_BAD_INPUT, "null");
  blocks.id = is_last ? NULL : ids;
  FAILS(ek_block_balancer_describe(balancer, &blocks), EK_BAD_INPUT,
        "The list of ids is a null pointer.");
  blocks.id = ids;
  blocks.size = is_last ? 8 : sizeof blocks;
  FAILS(ek_block_balancer_describe(balancer, &blocks), EK_BAD_INPUT, "ek_blocks");
  blocks.size = sizeof blocks;
  blocks.weight = weights;
  FAILS(ek_block_balancer_describe(balancer, &blocks), EK_BAD_INPUT, "weight");
  blocks.weight = NULL;
  blocks.first_parent = offsets;
  blocks.parent = ids;
  FAILS(ek_block_balancer_describe(balancer, &blocks), EK_BAD_INPUT, "offsets");
  blocks.parent = NULL;
  WORKS(ek_block_balancer_describe(balancer, &blocks));
  FAILS(ek_block_balancer_step(balancer, 1, 0, NULL), EK_BAD_INPUT, "null pointer");
  FAILS(ek_block_end(balancer, 0), EK_BAD_INPUT, "no begin before this end");
  FAILS(ek_drop(balancer), EK_BAD_INPUT, "no proposal to drop");
  FAILS(ek_block_balancer_describe((ek_block_balancer*)&blocks, &blocks), EK_BAD_INPUT,
        "This is no ek_block_balancer");
  ek_free(balancer);
}

/* --- Graphs ----------------------------------------------------------------------------------- */

static void vertices_get_ranks(void) {
  enum { mine = 20 };
  const int64_t all = mine * (int64_t)ranks;
  int64_t offsets[mine + 1];
  int columns[2 * mine]; /* any type of integers */
  double weights[mine];
  for (int v = 0; v <= mine; ++v) offsets[v] = 2 * v;
  for (int v = 0; v < mine; ++v) {
    const int64_t vertex = (int64_t)rank * mine + v;
    columns[2 * v] = (int)((vertex + all - 1) % all);
    columns[2 * v + 1] = (int)((vertex + 1) % all);
    weights[v] = rank == 0 ? 3 : 1;
  }
  ek_field first = ek_field_of(offsets, EK_INT64, 1, mine + 1),
           neighbours = ek_field_of(columns, EK_INT32, 1, 2 * mine),
           costs = ek_field_of(weights, EK_DOUBLE, 1, mine);
  ek_graph graph = {0};
  graph.size = sizeof graph;
  graph.offsets = &first;
  graph.columns = &neighbours;
  graph.weight = &costs;

  ek_graph_balancer* balancer = NULL;
  FAILS(ek_graph_balancer_create(world(), "costs = free", &balancer), EK_BAD_INPUT, "free");
  WORKS(ek_graph_balancer_create(
      world(),
      "method = graph good 1.05; costs = as_given; trigger = every 0:0:4; deterministic = on; "
      "log = off",
      &balancer));
  int proposals = 0;
  const ek_graph_proposal* cut = NULL;
  for (int step = 0; step < 12 && proposals == 0; ++step) {
    WORKS(ek_graph_balancer_step(balancer, &graph, 1, 0, &cut));
    proposals += cut != NULL;
  }
  CHECK(proposals == (ranks > 1));
  if (cut != NULL) {
    CHECK(cut->count == mine && cut->report.lambda < 1.1 && cut->report.moved > 0);
    double* loads = calloc((size_t)ranks, sizeof *loads);
    for (int v = 0; v < mine; ++v) loads[cut->parts[v]] += weights[v];
    MPI_Allreduce(MPI_IN_PLACE, loads, ranks, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; ++r) CHECK(loads[r] <= 1.1 * mine * (ranks + 2) / ranks);
    free(loads);
    WORKS(ek_drop(balancer));
  }
  WORKS(ek_graph_balancer_propose(balancer, &graph, "graph fast 1.5", &cut));
  CHECK(cut != NULL);
  WORKS(ek_accept(balancer));
  FAILS(ek_graph_balancer_propose(balancer, &graph, "voronoi", &cut), EK_BAD_INPUT, "voronoi");
  neighbours.type = rank == ranks - 1 ? 77 : EK_INT32;
  FAILS(ek_graph_balancer_propose(balancer, &graph, NULL, &cut), EK_BAD_INPUT, "unknown type 77");
  neighbours.type = EK_INT32;
  FAILS(ek_graph_balancer_propose(balancer, rank == ranks - 1 ? NULL : &graph, NULL, &cut),
        EK_BAD_INPUT, "null pointer");
  neighbours.type = rank == ranks - 1 ? 77 : EK_INT32; /* it is read when a proposal is due */
  int errors = 0;
  for (int step = 0; step < 8 && ranks > 1; ++step)
    errors += ek_graph_balancer_step(balancer, &graph, 1, 0, &cut) == EK_BAD_INPUT;
  CHECK(ranks == 1 || errors > 0);
  WORKS(ek_finish(balancer));
  ek_free(balancer);
}

/* --- Grids ------------------------------------------------------------------------------------ */

static int64_t cells_in(const ek_cells* ranges, int64_t count) {
  int64_t cells = 0;
  for (int64_t r = 0; r < count; ++r)
    cells += (ranges[r].end[0] - ranges[r].begin[0]) * (ranges[r].end[1] - ranges[r].begin[1]) *
             (ranges[r].end[2] - ranges[r].begin[2]);
  return cells;
}

static void boxes_get_ranks(void) {
  ek_grid_balancer* balancer = NULL;
  FAILS(ek_grid_balancer_create(world(), "log = off", &balancer), EK_BAD_INPUT, "no box");
  FAILS(ek_grid_balancer_create(world(), "box = 0,0,1,1; method = morton", &balancer), EK_BAD_INPUT,
        "morton");
  const char* methods[] = {"method = tensor", "method = staggered", "method = bisection",
                           "method = voronoi"};
  for (int m = 0; m < 4; ++m) {
    char options[200];
    snprintf(options, sizeof options, "box = 0,0,0,1,1,1; log = off; %s", methods[m]);
    WORKS(ek_grid_balancer_create(world(), options, &balancer));
    const int64_t mesh[] = {16, 16, 16};
    const ek_cell_moves* moves = NULL;
    WORKS(ek_grid_balancer_cells(balancer, mesh, &moves));
    int64_t before = cells_in(moves->staying, moves->staying_count);
    CHECK(moves->leaving_count == 0 && moves->entering_count == 0 && sum_of(before) == 4096);

    /* more work is near the lower corner */
    enum { points = 200 };
    double x[3 * points], weights[points];
    double lower[3], upper[3], centre[3] = {0, 0, 0}, work = 0;
    WORKS(ek_grid_balancer_domain(balancer, lower, upper));
    unsigned seed = 5u + (unsigned)rank;
    for (int p = 0; p < points; ++p) {
      for (int d = 0; d < 3; ++d) {
        x[3 * p + d] = lower[d] + uniform(&seed) * (upper[d] - lower[d]);
        centre[d] += x[3 * p + d] / points;
      }
      weights[p] = x[3 * p] + x[3 * p + 1] + x[3 * p + 2] < 1.2 ? 5 : 1;
      work += weights[p];
    }
    ek_field position = ek_field_of(x, EK_DOUBLE, 3, points),
             weight = ek_field_of(weights, EK_DOUBLE, 1, points);
    ek_set cells = {0};
    cells.size = sizeof cells;
    cells.position = &position;
    cells.weight = &weight;
    int proposed = -1;
    WORKS(ek_grid_balancer_step(balancer, m >= 2 ? &cells : NULL, NULL, 1, 0, &proposed));
    CHECK(proposed == 0);
    if (m == 2)
      WORKS(ek_grid_balancer_propose(balancer, &cells, NULL, 0, &proposed));
    else
      WORKS(ek_grid_balancer_propose(balancer, NULL, m == 3 ? centre : NULL, work, &proposed));
    CHECK(proposed == (ranks > 1));
    WORKS(ek_grid_balancer_cells(balancer, mesh, &moves));
    const int64_t leaving = cells_in(moves->leaving, moves->leaving_count),
                  entering = cells_in(moves->entering, moves->entering_count);
    CHECK(sum_of(leaving) == sum_of(entering) && (ranks == 1 || sum_of(leaving) > 0));
    CHECK(before == leaving + cells_in(moves->staying, moves->staying_count));
    before += entering - leaving;
    if (proposed) WORKS(ek_accept(balancer));
    WORKS(ek_grid_balancer_cells(balancer, mesh, &moves));
    CHECK(before == cells_in(moves->staying, moves->staying_count));
    const int* neighbours = NULL;
    int count = -1, owner = -1;
    WORKS(ek_grid_balancer_neighbours(balancer, &neighbours, &count));
    CHECK(ranks == 1 || (count >= 1 && neighbours[0] != rank));
    WORKS(ek_owner(balancer, x, 3, &owner));
    CHECK(owner >= 0 && owner < ranks);
    weights[3] = rank == ranks - 1 ? NAN : 1;
    if (m == 2)
      FAILS(ek_grid_balancer_propose(balancer, &cells, NULL, 0, &proposed), EK_BAD_INPUT, "");
    FAILS(ek_drop(balancer), EK_BAD_INPUT, "no proposal to drop");
    cells.size = rank == ranks - 1 ? 3 : sizeof cells;
    if (m == 2)
      FAILS(ek_grid_balancer_propose(balancer, &cells, NULL, 0, &proposed), EK_BAD_INPUT, ".size");
    int errors = 0;
    for (int step = 0; step < 20 && m >= 2 && errors == 0; ++step)
      errors += ek_grid_balancer_step(balancer, &cells, NULL, 1, 0, &proposed) != EK_SUCCESS;
    CHECK(errors == (m >= 2 ? 1 : 0) && sum_of(errors) == errors * ranks);
    WORKS(ek_finish(balancer));
    ek_free(balancer);
  }
}

/* --- Ids and ghosts --------------------------------------------------------------------------- */

static void ghosts_are_copies(void) {
  int64_t count = 300;
  double* x = malloc(3 * sizeof(double) * (size_t)count);
  int64_t* id = malloc(sizeof(int64_t) * (size_t)count);
  unsigned seed = 11u + (unsigned)rank;
  for (int64_t i = 0; i < count; ++i) {
    for (int d = 0; d < 3; ++d) x[3 * i + d] = uniform(&seed);
    id[i] = 1000 * rank + i;
  }
  ek_balancer* balancer = NULL;
  WORKS(ek_balancer_create(world(), "log = off; box = 0,0,0,1,1,1", &balancer));
  ek_field position = ek_field_on_heap((void**)&x, EK_DOUBLE, 3, count),
           ids = ek_field_on_heap((void**)&id, EK_INT64, 1, count);
  ek_field* carried[] = {&ids};
  ek_set set = {0};
  set.size = sizeof set;
  set.position = &position;
  set.carried = carried;
  set.carried_count = 1;
  set.count = &count;
  ek_halo* halo = NULL;
  WORKS(ek_balancer_rebalance(balancer, &set, 1, NULL));
  FAILS(ek_halo_create(balancer, &set, rank == ranks - 1 ? NAN : 0.2, 1, &halo), EK_BAD_INPUT, "");
  CHECK(halo == NULL && ek_halo_ghosts(halo) == 0);
  WORKS(ek_halo_create(balancer, &set, 0.2, 1, &halo));
  CHECK(ek_halo_is_current(halo) == 1);
  WORKS(ek_halo_make_room(halo, &set));
  WORKS(ek_halo_exchange(halo, &set, NULL));
  const int64_t ghosts = ek_halo_ghosts(halo);
  CHECK(ranks == 1 ? ghosts == 0 : sum_of(ghosts) > 0);

  /* each ghost is the object that the directory finds elsewhere */
  ek_directory* directory = NULL;
  ids.count = count;
  WORKS(ek_directory_create(world(), &ids, &directory));
  ek_field of_ghosts = ek_field_of(id + count, EK_INT64, 1, ghosts);
  int* where = malloc(sizeof(int) * (size_t)(ghosts + 1));
  int64_t* index = malloc(sizeof(int64_t) * (size_t)(ghosts + 1));
  WORKS(ek_directory_look_up(directory, &of_ghosts, where, index));
  for (int64_t g = 0; g < ghosts; ++g) {
    int owner = -1;
    WORKS(ek_owner(balancer, &x[3 * (count + g)], 3, &owner));
    CHECK(owner == where[g] && owner != rank && index[g] >= 0);
  }
  ek_halo* around = NULL;
  WORKS(ek_halo_around_ids(balancer, directory, &of_ghosts, count, &around));
  CHECK(ek_halo_ghosts(around) == ghosts);
  FAILS(ek_directory_update(directory, rank == ranks - 1 ? NULL : &ids), EK_BAD_INPUT, "null");

  /* a sum counts the copies */
  double* sums = malloc(sizeof(double) * (size_t)(count + ghosts + 1));
  for (int64_t i = 0; i < count + ghosts; ++i) sums[i] = 1;
  ek_field numbers = ek_field_of(sums, EK_DOUBLE, 1, count + ghosts);
  ek_field* list[] = {&numbers};
  ek_set fields = {0};
  fields.size = sizeof fields;
  fields.carried = list;
  fields.carried_count = 1;
  WORKS(ek_halo_sum_back(halo, &fields, NULL));
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += sums[i];
  CHECK(sum_of((int64_t)sum) == sum_of(count + ghosts));
  FAILS(ek_halo_sum_back(halo, rank == ranks - 1 ? NULL : &fields, NULL), EK_BAD_INPUT, "null");

  int64_t wanted[] = {ghosts > 0 ? id[count] : id[0], -7}, found[2];
  ek_field all_ids = ek_field_of(id, EK_INT64, 1, count + ghosts),
           these = ek_field_of(wanted, EK_INT64, 1, 2), places = ek_field_of(found, EK_INT64, 1, 2);
  WORKS(ek_local_indices(&all_ids, &these, &places));
  CHECK(found[0] == (ghosts > 0 ? count : 0) && found[1] == -1);
  ek_free(around);
  ek_free(halo);
  ek_free(directory);
  WORKS(ek_finish(balancer));
  ek_free(balancer);
  free(x);
  free(id);
  free(where);
  free(index);
  free(sums);
}

int main(int argc, char** argv) {
  begin_test(&argc, &argv);
  blocks_get_ranks();
  errors_of_blocks();
  vertices_get_ranks();
  boxes_get_ranks();
  ghosts_are_copies();
  return end_test();
}
