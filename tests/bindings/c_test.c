/* The C interface, used from C99: Monitor, Balancer, loans and cuts, and errors that cross it. */

#include "c_test.h"

/* --- Balancer --------------------------------------------------------------------------------- */

static int hooks = 0;
static int count_hook(void* user) {
  ++*(int*)user;
  return 0;
}

static void objects_move(void) {
  const int64_t begun_with = 500 + 100 * rank;
  int64_t count = begun_with;
  double* x = malloc(3 * sizeof(double) * (size_t)count);
  int64_t* id = malloc(sizeof(int64_t) * (size_t)count);
  float* mass = malloc(sizeof(float) * (size_t)count);
  unsigned seed = 17u + (unsigned)rank;
  int64_t sum_before = 0;
  for (int64_t i = 0; i < count; ++i) {
    for (int d = 0; d < 3; ++d) x[3 * i + d] = uniform(&seed);
    id[i] = 1000000 * rank + i;
    mass[i] = (float)x[3 * i] + 1;
    sum_before += id[i];
  }

  ek_balancer* balancer = NULL;
  WORKS(ek_balancer_create(world(), "trigger = every 0:0:6; log = off", &balancer));
  ek_kernel* work = NULL;
  WORKS(ek_kernel_of(balancer, "work", 0, &work));
  WORKS(ek_balancer_before_move(balancer, &count_hook, &hooks));
  WORKS(ek_balancer_after_move(balancer, &count_hook, &hooks));

  ek_field position = ek_field_on_heap((void**)&x, EK_DOUBLE, 3, count);
  ek_field ids = ek_field_on_heap((void**)&id, EK_INT64, 1, count);
  ek_field masses = ek_field_on_heap((void**)&mass, EK_FLOAT, 1, count);
  ek_field* carried[] = {&ids, &masses};
  ek_set set = {0};
  set.size = sizeof set;
  set.position = &position;
  set.carried = carried;
  set.carried_count = 2;
  set.count = &count;
  set.weight = &masses;

  ek_move move = {0};
  move.size = sizeof move;
  WORKS(ek_balancer_rebalance(balancer, &set, 1, &move));
  CHECK(ranks == 1 || (move.moved && move.objects > 0 && move.lambda < 1.1));
  for (int step = 0; step < 12; ++step) {
    WORKS(ek_kernel_begin(work));
    WORKS(ek_kernel_end(work));
    WORKS(ek_balancer_step(balancer, &set, 1, 1, 0, &move));
  }
  int64_t sum_after = 0;
  for (int64_t i = 0; i < count; ++i) {
    int owner = -1;
    WORKS(ek_owner(balancer, &x[3 * i], 3, &owner));
    CHECK(owner == rank);
    CHECK(mass[i] == (float)x[3 * i] + 1);
    sum_after += id[i];
  }
  CHECK(sum_of(count) == sum_of(begun_with));
  CHECK(sum_of(sum_after) == sum_of(sum_before));
  CHECK(ids.count == count && ids.data == (void*)id);
  CHECK(ranks == 1 || hooks >= 2);

  const char* state = NULL;
  WORKS(ek_state(balancer, &state));
  CHECK(strlen(state) > 10);
  WORKS(ek_finish(balancer));
  FAILS(ek_balancer_step(balancer, &set, 1, 1, 0, NULL), EK_BAD_INPUT, "after finish");
  ek_free(balancer);
  free(x);
  free(id);
  free(mass);
}

/* Cells of a ring on rank 0 know their neighbours by ids, and have lists of their own. */
static void rows_move(void) {
  enum { cells = 60 };
  int64_t count = rank == 0 ? cells : 0;
  double* x = calloc(3 * cells, sizeof(double));
  int64_t *id = calloc(cells, sizeof(int64_t)), *neighbours = calloc(2 * cells, sizeof(int64_t));
  int *first = calloc(cells + 1, sizeof(int)), *begin = calloc(cells + 1, sizeof(int));
  float* list = calloc(3 * cells, sizeof(float));
  for (int i = 0; i < count; ++i) {
    x[3 * i] = id[i] = 5 * i;
    neighbours[2 * i] = 5 * ((i + cells - 1) % cells);
    neighbours[2 * i + 1] = 5 * ((i + 1) % cells);
    first[i + 1] = 2 * (i + 1);
    begin[i + 1] = begin[i] + i % 4;
    for (int k = begin[i]; k < begin[i + 1]; ++k) list[k] = (float)id[i];
  }
  ek_field position = ek_field_on_heap((void**)&x, EK_DOUBLE, 3, count),
           ids = ek_field_on_heap((void**)&id, EK_INT64, 1, count),
           firsts = ek_field_on_heap((void**)&first, EK_INT32, 1, count + 1),
           columns = ek_field_on_heap((void**)&neighbours, EK_INT64, 1, 2 * count),
           begins = ek_field_on_heap((void**)&begin, EK_INT32, 1, count + 1),
           lists = ek_field_on_heap((void**)&list, EK_FLOAT, 1, begin[count]);
  ek_field* carried[] = {&ids};
  const ek_rows rows[] = {{&firsts, &columns}, {&begins, &lists}};
  ek_graph graph = {0};
  graph.size = sizeof graph;
  graph.offsets = &firsts;
  graph.columns = &columns;
  graph.id = &ids;
  ek_set set = {0};
  set.size = sizeof set;
  set.position = &position;
  set.carried = carried;
  set.carried_count = 1;
  set.count = &count;
  set.rows = rows;
  set.row_count = 2;
  set.graph = &graph;
  ek_balancer* balancer = NULL;
  WORKS(ek_balancer_create(world(), "method = graph; log = off", &balancer));
  WORKS(ek_balancer_rebalance(balancer, &set, 1, NULL));
  WORKS(ek_balancer_rebalance(balancer, &set, 1, NULL));
  CHECK(sum_of(count) == cells && count <= 1.05 * cells / ranks + 1);
  int64_t outside = 0;
  for (int i = 0; i < count; ++i) {
    CHECK(first[i + 1] - first[i] == 2 && begin[i + 1] - begin[i] == id[i] / 5 % 4);
    for (int k = begin[i]; k < begin[i + 1]; ++k) CHECK(list[k] == (float)id[i]);
    for (int k = first[i]; k < first[i + 1]; ++k) {
      const int64_t apart = llabs(neighbours[k] - id[i]) / 5;
      CHECK(apart == 1 || apart == cells - 1);
      int is_here = 0;
      for (int j = 0; j < count; ++j) is_here |= id[j] == neighbours[k];
      outside += !is_here;
    }
  }
  CHECK(sum_of(outside) == (ranks > 1 ? 2 * ranks : 0)); /* each part is an arc */
  if (rank == ranks - 1) set.rows = NULL; /* on one rank only: all must get the error */
  FAILS(ek_balancer_rebalance(balancer, &set, 1, NULL), EK_BAD_INPUT, "null pointer");
  set.rows = rows;
  graph.size = rank == ranks - 1 ? 1 : sizeof graph;
  FAILS(ek_balancer_rebalance(balancer, &set, 1, NULL), EK_BAD_INPUT, "null pointer");
  graph.size = sizeof graph;
  WORKS(ek_finish(balancer));
  ek_free(balancer);
  free(x);
  free(id);
  free(neighbours);
  free(first);
  free(begin);
  free(list);
}

/* --- Errors ----------------------------------------------------------------------------------- */

static int failing_hook(void* user) { return *(int*)user; }

static void errors_cross(void) {
  ek_balancer* balancer = NULL;
  FAILS(ek_balancer_create(world(), "metod = hilbert", &balancer), EK_BAD_INPUT, "metod");
  CHECK(balancer == NULL);
  FAILS(ek_balancer_create(world(), NULL, NULL), EK_BAD_INPUT, "null pointer");
  FAILS(ek_finish(NULL), EK_BAD_INPUT, "The Monitor or balancer is a null pointer.");
  ek_monitor* monitor = NULL;
  WORKS(ek_monitor_create(world(), "log = off", &monitor));
  FAILS(ek_balancer_adopt((ek_balancer*)monitor, NULL, 0), EK_BAD_INPUT, "This is no ek_balancer");
  FAILS(ek_accept(monitor), EK_BAD_INPUT, "This is no balancer that makes proposals");
  ek_kernel* kernel = NULL;
  WORKS(ek_kernel_of(monitor, "work", 0, &kernel));
  FAILS(ek_kernel_end(kernel), EK_BAD_INPUT, "no begin before this end");
  FAILS(ek_kernel_of(monitor, "work", 99, &kernel), EK_BAD_INPUT, "phase");
  WORKS(ek_finish(monitor));
  ek_free(monitor);
  ek_free(NULL);

  WORKS(ek_balancer_create(world(), "log = off", &balancer));
  double x[30];
  for (int i = 0; i < 30; ++i) x[i] = (i * 7 % 30) / 30.0 + 0.01 * rank;
  ek_field position = ek_field_of(x, EK_DOUBLE, 3, 10);
  position.name = "x";
  position.capacity = 10;
  ek_set set = {0};
  set.size = sizeof set;
  set.position = &position;
  if (rank == ranks - 1) x[4] = NAN;
  FAILS(ek_balancer_rebalance(balancer, &set, 1, NULL), EK_BAD_INPUT, "not finite");
  x[4] = 0.5;
  if (rank == ranks - 1) position.type = 77; /* on one rank only: all must get the error */
  FAILS(ek_balancer_rebalance(balancer, &set, 1, NULL), EK_BAD_INPUT, "unknown type 77");
  position.type = EK_DOUBLE;
  set.size = rank == ranks - 1 ? 3 : sizeof set;
  FAILS(ek_balancer_rebalance(balancer, &set, 1, NULL), EK_BAD_INPUT, ".size");
  set.size = sizeof set;
  ek_move move = {0};
  move.size = rank == ranks - 1 ? 3 : sizeof move;
  FAILS(ek_balancer_rebalance(balancer, &set, 1, &move), EK_BAD_INPUT, ".size");
  FAILS(ek_balancer_rebalance(balancer, rank == ranks - 1 ? NULL : &set, 1, NULL), EK_BAD_INPUT,
        "null pointer");
  int64_t count = rank == ranks - 1 ? 11 : 10;
  set.count = &count;
  FAILS(ek_balancer_rebalance(balancer, &set, 1, NULL), EK_BAD_INPUT, "11");
  set.count = NULL;
  FAILS(ek_owner(balancer, x, 3, NULL), EK_BAD_INPUT, "null pointer");
  static int code = 5;
  WORKS(ek_balancer_before_move(balancer, &failing_hook, &code));
  if (ranks > 1)
    FAILS(ek_balancer_rebalance(balancer, &set, 1, NULL), EK_APPLICATION,
          "A hook before a move returned 5.");
  WORKS(ek_finish(balancer));
  ek_free(balancer);
}

/* --- Loans ------------------------------------------------------------------------------------ */

static int heat(const ek_batch* batch, void* user) {
  double* const values = batch->fields[0].data;
  const double* const work = batch->fields[1].data;
  for (int64_t i = 0; i < batch->count; ++i) {
    const int64_t place = batch->objects != NULL ? batch->objects[i] : i;
    const int turns = (int)work[place];
    double sum = 0;
    for (int k = 0; k < turns; ++k) sum += sqrt((double)k);
    values[place] += sum;
    batch->cost[place] = turns;
  }
  if (batch->is_borrowed) ++*(int*)user;
  return 0;
}
static int fail_once(const ek_batch* batch, void* user) {
  (void)batch;
  return rank == ranks - 1 ? *(int*)user : 0;
}

static void work_is_lent(void) {
  enum { cells = 3000 };
  static double values[cells], work[cells], expected[cells];
  for (int i = 0; i < cells; ++i) {
    values[i] = i;
    work[i] = rank == 0 ? 4000 : 10;
    double sum = 0;
    for (int k = 0; k < (int)work[i]; ++k) sum += sqrt((double)k);
    expected[i] = (i + sum) + sum;
  }
  ek_monitor* monitor = NULL;
  WORKS(ek_monitor_create(world(), "log = off", &monitor));
  ek_loan* loan = NULL;
  WORKS(ek_loan_of(monitor, "heat", &loan));
  ek_field value = ek_field_of(values, EK_DOUBLE, 1, cells),
           needed = ek_field_of(work, EK_DOUBLE, 1, cells);
  ek_field *kept[] = {&value}, *inputs[] = {&needed};
  ek_loan_call call = {0};
  call.size = sizeof call;
  call.count = cells;
  call.kept = kept;
  call.kept_count = 1;
  call.inputs = inputs;
  call.input_count = 1;
  int borrowed = 0, lent = -1;
  WORKS(ek_loan_run(loan, &call, &heat, &borrowed, &lent));
  CHECK(lent == 0);
  WORKS(ek_loan_run(loan, &call, &heat, &borrowed, &lent));
  CHECK(lent == (ranks > 1));
  CHECK(ranks == 1 || rank == 0 || borrowed > 0);
  for (int i = 0; i < cells; ++i) CHECK(values[i] == expected[i]);
  WORKS(ek_loan_begin(loan, &call, &heat, &borrowed));
  WORKS(ek_loan_end(loan, &lent));
  CHECK(lent == (ranks > 1));
  FAILS(ek_loan_end(loan, NULL), EK_BAD_INPUT, "has not begun");
  int code = 3;
  FAILS(ek_loan_run(loan, &call, &fail_once, &code, NULL), EK_APPLICATION,
        "A kernel of a loan returned 3.");
  FAILS(ek_loan_run(loan, &call, NULL, NULL, NULL), EK_BAD_INPUT, "has no kernel");
  FAILS(ek_loan_run(loan, rank == ranks - 1 ? NULL : &call, &heat, &borrowed, NULL), EK_BAD_INPUT,
        "null pointer");
  ek_free(loan);
  WORKS(ek_finish(monitor));
  ek_free(monitor);
}

/* --- Maps, graphs and points ------------------------------------------------------------------ */

static void divisions_are_even(void) {
  const double costs[] = {4, 3, 3, 2, 2, 2};
  int map[6];
  ek_assign_options options = {0};
  options.size = sizeof options;
  options.ranks = 2;
  double lambda = 0, bound = 0;
  WORKS(ek_assign(costs, 6, &options, map, &lambda, &bound));
  CHECK(lambda == 1 && bound == 1);
  double load = 0;
  for (int b = 0; b < 6; ++b) load += map[b] == 0 ? costs[b] : 0;
  CHECK(load == 8);
  options.size = 4;
  FAILS(ek_assign(costs, 6, &options, map, NULL, NULL), EK_BAD_INPUT, "ek_assign_options");

  /* a ring of 12 vertices for each rank */
  enum { mine = 12 };
  const int64_t all = mine * (int64_t)ranks;
  int64_t offsets[mine + 1], columns[2 * mine];
  for (int v = 0; v <= mine; ++v) offsets[v] = 2 * v;
  for (int v = 0; v < mine; ++v) {
    const int64_t vertex = (int64_t)rank * mine + v;
    columns[2 * v] = (vertex + all - 1) % all;
    columns[2 * v + 1] = (vertex + 1) % all;
  }
  int parts[mine];
  ek_field first = ek_field_of(offsets, EK_INT64, 1, mine + 1),
           neighbours = ek_field_of(columns, EK_INT64, 1, 2 * mine);
  ek_graph graph = {0};
  graph.size = sizeof graph;
  graph.offsets = &first;
  graph.columns = &neighbours;
  ek_cut_options cutting = {0};
  cutting.size = sizeof cutting;
  cutting.parts = 3;
  ek_cut_report report = {0};
  report.size = sizeof report;
  WORKS(ek_cut_graph(world(), &graph, &cutting, parts, &report));
  CHECK(report.parts == 3 && report.cut == 3 && report.cut_edges == 3 && report.lambda == 1);
  int64_t in_part[3] = {0};
  for (int v = 0; v < mine; ++v) ++in_part[parts[v]];
  for (int p = 0; p < 3; ++p) CHECK(sum_of(in_part[p]) == all / 3);
  graph.offsets = rank == ranks - 1 ? NULL : &first; /* on one rank only: all must get the error */
  FAILS(ek_cut_graph(world(), &graph, &cutting, parts, NULL), EK_BAD_INPUT,
        "The field of offsets is a null pointer.");
  graph.offsets = &first;
  neighbours.type = rank == ranks - 1 ? 77 : EK_INT64;
  FAILS(ek_cut_graph(world(), &graph, &cutting, parts, NULL), EK_BAD_INPUT, "unknown type 77");
  neighbours.type = EK_INT64;
  cutting.method = "hilbert";
  FAILS(ek_cut_graph(world(), &graph, &cutting, parts, NULL), EK_BAD_INPUT, "hilbert");
  cutting.method = "graph fast 1.05";
  /* a net for each pair of neighbours: the ring again */
  int64_t starts[mine + 1], pins[2 * mine];
  for (int e = 0; e <= mine; ++e) starts[e] = 2 * e;
  for (int e = 0; e < mine; ++e) {
    pins[2 * e] = (int64_t)rank * mine + e;
    pins[2 * e + 1] = ((int64_t)rank * mine + e + 1) % all;
  }
  first.data = starts;
  neighbours.data = pins;
  WORKS(ek_cut_nets(world(), mine, &graph, &cutting, parts, &report));
  CHECK(report.cut == 3 && report.cut_edges == 3);
  report.size = 0;
  FAILS(ek_cut_nets(world(), mine, &graph, &cutting, parts, &report), EK_BAD_INPUT,
        "ek_cut_report");

  const double row[] = {1, 2, 3, 1, 1, 4};
  int64_t cuts[4];
  WORKS(ek_cut_chain(row, 6, 3, NULL, 0, cuts, &lambda));
  CHECK(cuts[0] == 0 && cuts[1] == 2 && cuts[2] == 5 && cuts[3] == 6 && lambda == 1.25);
  FAILS(ek_cut_chain(row, 6, 0, NULL, 0, cuts, &lambda), EK_BAD_INPUT, "part");

  double points[300];
  unsigned seed = 3u + (unsigned)rank;
  for (int i = 0; i < 300; ++i) points[i] = uniform(&seed);
  int part[100];
  const char* methods[] = {NULL, "bisection", "voronoi"};
  for (int m = 0; m < 3; ++m) {
    WORKS(ek_partition(world(), points, 3, 100, NULL, methods[m], 4, part));
    int64_t found[4] = {0};
    for (int i = 0; i < 100; ++i) ++found[part[i]];
    for (int p = 0; p < 4; ++p) CHECK(llabs(sum_of(found[p]) - 25 * ranks) <= 2 + ranks);
  }
  FAILS(ek_partition(world(), points, 3, 100, NULL, "hilbret", 4, part), EK_BAD_INPUT, "hilbret");
}

static void versions_compare(void) {
  CHECK(ek_version_number() == EVENKEEL_VERSION_NUMBER);
  CHECK(strcmp(ek_version(), EVENKEEL_VERSION) == 0);
  const int major = EVENKEEL_VERSION_MAJOR, minor = EVENKEEL_VERSION_MINOR;
  const int patch = EVENKEEL_VERSION_PATCH;
  CHECK(EVENKEEL_VERSION_AT_LEAST(major, minor, patch) && EVENKEEL_VERSION_AT_LEAST(0, 0, 99));
  CHECK(!EVENKEEL_VERSION_AT_LEAST(major, minor, patch + 1));
  CHECK(!EVENKEEL_VERSION_AT_LEAST(major, minor + 1, 0));
  CHECK(!EVENKEEL_VERSION_AT_LEAST(major + 1, 0, 0));
}

int main(int argc, char** argv) {
  begin_test(&argc, &argv);
  versions_compare();
  objects_move();
  rows_move();
  errors_cross();
  work_is_lent();
  divisions_are_even();
  return end_test();
}
