/* The signatures of METIS and ParMETIS: the parts are those of cut_graph. */

#include <evenkeel/c.h>

#include "metis.h"
#if IDXTYPEWIDTH == 32
#include "parmetis.h"
#else
#include <mpi.h>
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;
#define CHECK(condition)                                               \
  do {                                                                 \
    if (!(condition)) {                                                \
      ++failures;                                                      \
      fprintf(stderr, "line %d: %s\n", __LINE__, #condition);          \
    }                                                                  \
  } while (0)

enum { side = 20, vertices = side * side, most_edges = 4 * vertices };

/* A grid of side x side vertices; rows begin at `first` and their numbers count from `base`. */
static idx_t grid(idx_t first, idx_t count, idx_t base, idx_t* xadj, idx_t* adjncy) {
  idx_t edges = 0;
  for (idx_t v = 0; v < count; ++v) {
    const idx_t at = first + v, i = at / side, j = at % side;
    xadj[v] = edges + base;
    if (i > 0) adjncy[edges++] = at - side + base;
    if (j > 0) adjncy[edges++] = at - 1 + base;
    if (j < side - 1) adjncy[edges++] = at + 1 + base;
    if (i < side - 1) adjncy[edges++] = at + side + base;
  }
  xadj[count] = edges + base;
  return edges;
}

static void graphs(void) {
  static idx_t xadj[vertices + 1], adjncy[most_edges], weights[vertices], part[vertices];
  static int64_t offsets[vertices + 1], columns[most_edges];
  static double reals[vertices];
  static int expected[vertices];
  idx_t count = vertices, one = 1, parts = 7, cut = 0;
  const idx_t edges = grid(0, vertices, 0, xadj, adjncy);
  for (int v = 0; v <= vertices; ++v) offsets[v] = xadj[v];
  for (int e = 0; e < edges; ++e) columns[e] = adjncy[e];
  for (int v = 0; v < vertices; ++v) reals[v] = weights[v] = 1 + v % 5;
  ek_field first = ek_field_of(offsets, EK_INT64, 1, vertices + 1),
           neighbours = ek_field_of(columns, EK_INT64, 1, edges),
           costs = ek_field_of(reals, EK_DOUBLE, 1, vertices);
  ek_graph graph = {0};
  graph.size = sizeof graph;
  graph.offsets = &first;
  graph.columns = &neighbours;
  graph.weight = &costs;
  ek_cut_options options = {0};
  options.size = sizeof options;
  options.parts = 7;
  options.method = "graph good 1.03";
  ek_cut_report report = {0};
  report.size = sizeof report;
  CHECK(ek_cut_graph((int)MPI_Comm_c2f(MPI_COMM_SELF), &graph, &options, expected, &report) ==
        EK_SUCCESS);
  CHECK(METIS_PartGraphKway(&count, &one, xadj, adjncy, weights, NULL, NULL, &parts, NULL, NULL,
                            NULL, &cut, part) == METIS_OK);
  CHECK(cut == report.cut_edges);
  for (int v = 0; v < vertices; ++v) CHECK(part[v] == expected[v]);

  /* numbers from 1 on */
  idx_t chosen[METIS_NOPTIONS];
  CHECK(METIS_SetDefaultOptions(chosen) == METIS_OK);
  chosen[METIS_OPTION_NUMBERING] = 1;
  grid(0, vertices, 1, xadj, adjncy);
  CHECK(METIS_PartGraphKway(&count, &one, xadj, adjncy, weights, NULL, NULL, &parts, NULL, NULL,
                            chosen, &cut, part) == METIS_OK);
  for (int v = 0; v < vertices; ++v) CHECK(part[v] == expected[v] + 1);
  grid(0, vertices, 0, xadj, adjncy);

  /* several cuts: the best effort */
  METIS_SetDefaultOptions(chosen);
  chosen[METIS_OPTION_NCUTS] = 4;
  options.method = "graph best 1.03";
  CHECK(ek_cut_graph((int)MPI_Comm_c2f(MPI_COMM_SELF), &graph, &options, expected, &report) ==
        EK_SUCCESS);
  CHECK(METIS_PartGraphKway(&count, &one, xadj, adjncy, weights, NULL, NULL, &parts, NULL, NULL,
                            chosen, &cut, part) == METIS_OK);
  CHECK(cut == report.cut_edges);
  for (int v = 0; v < vertices; ++v) CHECK(part[v] == expected[v]);

  /* unequal parts */
  real_t shares[] = {(real_t)0.5, (real_t)0.25, (real_t)0.125, (real_t)0.125};
  parts = 4;
  CHECK(METIS_PartGraphRecursive(&count, &one, xadj, adjncy, NULL, NULL, NULL, &parts, shares,
                                 NULL, NULL, &cut, part) == METIS_OK);
  int found[4] = {0};
  for (int v = 0; v < vertices; ++v) ++found[part[v]];
  for (int p = 0; p < 4; ++p)
    CHECK(found[p] >= 0.98 * shares[p] * vertices && found[p] <= 1.02 * shares[p] * vertices);

  /* what is not there is an error */
  METIS_SetDefaultOptions(chosen);
  chosen[METIS_OPTION_CONTIG] = 1;
  CHECK(METIS_PartGraphKway(&count, &one, xadj, adjncy, NULL, NULL, NULL, &parts, NULL, NULL,
                            chosen, &cut, part) == METIS_ERROR_INPUT);
  parts = 0;
  CHECK(METIS_PartGraphKway(&count, &one, xadj, adjncy, NULL, NULL, NULL, &parts, NULL, NULL, NULL,
                            &cut, part) == METIS_ERROR_INPUT);
  CHECK(METIS_PartGraphKway(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                            NULL) == METIS_ERROR_INPUT);
}

static void meshes(void) {
  /* four squares in a row, of ten nodes */
  idx_t ne = 4, nn = 10, eptr[5], eind[16], ncommon = 2, numflag = 0, *xadj = NULL, *adjncy = NULL;
  for (idx_t e = 0; e < ne; ++e) {
    eptr[e] = 4 * e;
    const idx_t corners[] = {e, e + 1, e + 6, e + 5};
    memcpy(eind + 4 * e, corners, sizeof corners);
  }
  eptr[ne] = 16;
  CHECK(METIS_MeshToDual(&ne, &nn, eptr, eind, &ncommon, &numflag, &xadj, &adjncy) == METIS_OK);
  const idx_t rows[] = {0, 1, 3, 5, 6}, neighbours[] = {1, 0, 2, 1, 3, 2};
  CHECK(memcmp(xadj, rows, sizeof rows) == 0 && memcmp(adjncy, neighbours, sizeof neighbours) == 0);
  METIS_Free(xadj);
  METIS_Free(adjncy);
  CHECK(METIS_MeshToNodal(&ne, &nn, eptr, eind, &numflag, &xadj, &adjncy) == METIS_OK);
  CHECK(xadj[1] == 3 && xadj[10] == 42);
  METIS_Free(xadj);
  METIS_Free(adjncy);

  idx_t parts = 2, cut = 0, epart[4], npart[10];
  CHECK(METIS_PartMeshDual(&ne, &nn, eptr, eind, NULL, NULL, &ncommon, &parts, NULL, NULL, &cut,
                           epart, npart) == METIS_OK);
  CHECK(cut == 1 && epart[0] == epart[1] && epart[2] == epart[3] && epart[0] != epart[2]);
  CHECK(npart[0] == epart[0] && npart[9] == epart[3]);
  CHECK(METIS_PartMeshNodal(&ne, &nn, eptr, eind, NULL, NULL, &parts, NULL, NULL, &cut, epart,
                            npart) == METIS_OK);
  int in_first = 0;
  for (int n = 0; n < 10; ++n) in_first += npart[n] == 0;
  CHECK(in_first == 5);
  eind[3] = 99;
  CHECK(METIS_MeshToDual(&ne, &nn, eptr, eind, &ncommon, &numflag, &xadj, &adjncy) ==
        METIS_ERROR_INPUT);
}

#if IDXTYPEWIDTH == 32
static void spread_graphs(void) {
  int rank = 0, ranks = 1;
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  idx_t vtxdist[65], flag = 0, none = 0, one = 1, parts = 5, cut = 0, alone_cut = 0;
  for (int r = 0; r <= ranks; ++r) vtxdist[r] = vertices * r / ranks;
  static idx_t xadj[vertices + 1], adjncy[most_edges], part[vertices], alone[vertices];
  idx_t all = vertices;
  grid(0, vertices, 0, xadj, adjncy);
  real_t even[5] = {0.2f, 0.2f, 0.2f, 0.2f, 0.2f}, tolerance = 1.05f, itr = 1000;
  CHECK(METIS_PartGraphKway(&all, &one, xadj, adjncy, NULL, NULL, NULL, &parts, NULL, &tolerance,
                            NULL, &alone_cut, alone) == METIS_OK);
  const idx_t first = vtxdist[rank], count = vtxdist[rank + 1] - first;
  grid(first, count, 0, xadj, adjncy);
  CHECK(ParMETIS_V3_PartKway(vtxdist, xadj, adjncy, NULL, NULL, &flag, &none, &one, &parts, even,
                             &tolerance, &none, &cut, part, &comm) == METIS_OK);
  CHECK(cut == alone_cut);
  for (idx_t v = 0; v < count; ++v) CHECK(part[v] == alone[first + v]);

  idx_t options[4] = {1, 0, 0, 2};
  CHECK(ParMETIS_V3_AdaptiveRepart(vtxdist, xadj, adjncy, NULL, NULL, NULL, &flag, &none, &one,
                                   &parts, even, &tolerance, &itr, options, &cut, part,
                                   &comm) == METIS_OK);
  int moved = 0;
  for (idx_t v = 0; v < count; ++v) moved += part[v] != alone[first + v];
  CHECK(moved < count / 4);
  CHECK(ParMETIS_V3_RefineKway(vtxdist, xadj, adjncy, NULL, NULL, &flag, &none, &one, &parts, even,
                               &tolerance, options, &cut, part, &comm) == METIS_OK);
  CHECK(cut <= alone_cut + 5);
  static real_t xyz[2 * vertices];
  for (idx_t v = 0; v < count; ++v) {
    xyz[2 * v] = (real_t)((first + v) / side);
    xyz[2 * v + 1] = (real_t)((first + v) % side);
  }
  idx_t two = 2;
  CHECK(ParMETIS_V3_PartGeomKway(vtxdist, xadj, adjncy, NULL, NULL, &flag, &none, &two, xyz, &one,
                                 &parts, even, &tolerance, &none, &cut, part, &comm) == METIS_OK);
  CHECK(cut > 0 && cut < 150);
  CHECK(ParMETIS_V3_PartGeom(vtxdist, &two, xyz, part, &comm) == METIS_OK);
  for (idx_t v = 0; v < count; ++v) CHECK(part[v] >= 0 && part[v] < ranks);
  CHECK(ParMETIS_V3_PartKway(vtxdist, NULL, adjncy, NULL, NULL, &flag, &none, &one, &parts, even,
                             &tolerance, &none, &cut, part, &comm) == METIS_ERROR);
}
#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  graphs();
  meshes();
#if IDXTYPEWIDTH == 32
  spread_graphs();
#endif
  ek_stop();
  MPI_Finalize();
  return failures > 0;
}
