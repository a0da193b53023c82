#ifndef EVENKEEL_C_H
#define EVENKEEL_C_H

/* evenkeel for C: link evenkeel::c (libevenkeel_c). docs/languages.md has whole programs.
 *
 * A function returns EK_SUCCESS or the kind of its error; ek_message() then has a text that says
 * what is wrong and what to do. A collective function returns the same error on all ranks. A
 * communicator is given as a Fortran handle: MPI_Comm_c2f(MPI_COMM_WORLD). In a build without MPI,
 * any number is this process alone. A void* that is called `balancer` is a Monitor or any balancer.
 * ek_free() frees all that ek_..._create makes. Kokkos need not be known: the first function that
 * needs it starts it, and ek_stop() ends it, unless the program has started it itself. */

#include <evenkeel/version.h>

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define EK_API __attribute__((visibility("default")))
#else
#define EK_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* --- Errors ----------------------------------------------------------------------------------- */

enum {
  EK_SUCCESS = 0,
  EK_BAD_INPUT = 1,     /* the caller can correct it */
  EK_OUT_OF_MEMORY = 2, /* an allocation was refused */
  EK_COMMUNICATION = 3, /* MPI reported an error */
  EK_DISAGREEMENT = 4,  /* ranks that must agree did not */
  EK_APPLICATION = 5,   /* a call-back of the program failed */
  EK_INTERNAL = 6       /* a fault of evenkeel: please report it */
};

/* The text of the last error in this thread; empty if there was none. Valid until the next call. */
EK_API const char* ek_message(void);
/* The version of the library that runs, such as "0.1.0", and as EVENKEEL_VERSION_NUMBER. That of
 * the headers is in <evenkeel/version.h>. */
EK_API const char* ek_version(void);
EK_API int ek_version_number(void);

/* --- Life ------------------------------------------------------------------------------------- */

/* Starts Kokkos, if it does not run. Every ek_..._create does this, too. Local. */
EK_API int ek_start(void);
/* Ends Kokkos, if evenkeel has started it. Free everything before. Local. */
EK_API int ek_stop(void);

/* --- Fields ----------------------------------------------------------------------------------- */

enum {
  EK_BYTES = 0, /* element_bytes each; moved, but not computed with */
  EK_INT8 = 1,
  EK_UINT8 = 2,
  EK_INT16 = 3,
  EK_UINT16 = 4,
  EK_INT32 = 5,
  EK_UINT32 = 6,
  EK_INT64 = 7,
  EK_UINT64 = 8,
  EK_FLOAT = 9,
  EK_DOUBLE = 10
};
enum { EK_HOST = 0, EK_DEVICE = 1, EK_SHARED = 2 };

/* An array with one entry per object. Begin with ek_field_of(), and change what differs. Value c of
 * object i is element i * object_stride + c * component_stride of `data`. */
typedef struct ek_field {
  size_t size; /* of this structure, as the program knows it */
  void* data;
  int type, element_bytes; /* element_bytes counts for EK_BYTES only */
  int components;          /* values of an object */
  int memory;
  int64_t count, capacity;                 /* objects in use, and objects that there is room for */
  int64_t object_stride, component_stride; /* in elements; 0 and 0: all values are adjacent */
  const char* name;                        /* in messages; may be null */
  /* If `allocate` is null, objects must fit into `capacity`. Otherwise a move that needs more room
   * calls allocate(owner, bytes) for new memory (null if there is none), writes all values there,
   * and then calls replace(owner, new memory): the program must take it, and free the old memory;
   * `data`, `count` and `capacity` here are set, too. If the move fails, evenkeel calls
   * release(owner, new memory) instead. New memory is packed. */
  void* owner;
  void* (*allocate)(void* owner, size_t bytes);
  void (*replace)(void* owner, void* data);
  void (*release)(void* owner, void* data);
} ek_field;

/* A packed array on the host, with `components` values for each of `count` objects. */
EK_API ek_field ek_field_of(void* data, int type, int components, int64_t count);
/* The same for memory of malloc, in *pointer. It grows as needed by malloc and free, and *pointer
 * is set. `pointer` must stay where it is. */
EK_API ek_field ek_field_on_heap(void** pointer, int type, int components, int64_t count);

/* Connected objects. Null means that an entry is not given; see GraphOptions in
 * core/field/set.hpp, and NetOptions in core/graph/nets.hpp for nets. */
typedef struct ek_graph {
  size_t size; /* of this structure */
  ek_field* offsets; /* integers: one for each vertex, and a last one */
  ek_field* columns; /* integers: neighbours of vertex v are columns[offsets[v]] to before
                        columns[offsets[v + 1]]; they count from 0, over all ranks, or are ids */
  ek_field *id, *weight, *bytes, *position, *fixed; /* of each vertex */
  ek_field *edge_weight, *uncuttable;               /* of each entry of `columns` */
} ek_graph;

/* Any number of values per object: object i has values[offsets[i]] to before
 * values[offsets[i + 1]], where offsets begin with 0. A move needs the call-backs of both
 * fields. */
typedef struct ek_rows {
  ek_field *offsets, *values;
} ek_rows;

/* Objects that move together. Zero means that an entry is not given. */
typedef struct ek_set {
  size_t size; /* of this structure */
  ek_field* position; /* 2 or 3 floats or doubles */
  ek_field* const* carried;
  int carried_count;
  int64_t* count; /* the number of owned objects; a move sets it */
  /* One number per object, each in a field of its own; see SetOptions in core/field/set.hpp. */
  ek_field *weight, *type, *key, *group, *pinned, *bytes;
  int64_t bytes_per_object;
  double reserve; /* fields have room for this many times the number of objects */
  const ek_rows* rows; /* that move with the objects */
  int row_count;
  const ek_graph* graph; /* for method = graph: a row for each owned object */
} ek_set;

/* --- Monitors and balancers ------------------------------------------------------------------- */

/* `options` of the create functions are lines or semicolon-separated entries "key = value", as in
 * an options file; null is none. The create functions are collective. */

/* A timed region of the program's own work. It is freed with its Monitor or balancer. */
typedef struct ek_kernel ek_kernel;

EK_API int ek_kernel_of(void* balancer, const char* name, int phase, ek_kernel** kernel);
/* Measures from begin to end, in one thread. Kernels may be nested: the inner one ends first. */
EK_API int ek_kernel_begin(ek_kernel* kernel);
EK_API int ek_kernel_end(ek_kernel* kernel);

/* Adds seconds to the cost of the rebalance that has just been made. */
EK_API int ek_note_cost(void* balancer, double seconds);
/* Of the last look: the greatest load over the average; 0 if no look has been made. */
EK_API double ek_lambda(const void* balancer);
/* Collective, before the first step: takes over the text of an earlier ek_state(). */
EK_API int ek_restore(void* balancer, const char* state);
/* All that the run has learned, as a text that is valid until the next call. Local. */
EK_API int ek_state(void* balancer, const char** state);
/* Collective. Completes pending work and closes the journal; no step comes after it. */
EK_API int ek_finish(void* balancer);
/* Frees a Monitor, a balancer, a loan, a halo or a directory; null is allowed. Loans and halos
 * must be freed before their balancer. */
EK_API void ek_free(void* handle);

/* Times kernels, and says when to rebalance; the program does it. */
typedef struct ek_monitor ek_monitor;

EK_API int ek_monitor_create(int communicator, const char* options, ek_monitor** monitor);
/* Collective; ends a step. *advice is 1 if the program should rebalance now, else 0. */
EK_API int ek_monitor_step(ek_monitor* monitor, int64_t objects, int may_move, int* advice);
/* Collective: the decomposition has changed. */
EK_API int ek_monitor_rebalanced(ek_monitor* monitor);

/* --- Balancer --------------------------------------------------------------------------------- */

/* Times kernels, decides when a rebalance pays, and moves the objects. */
typedef struct ek_balancer ek_balancer;

typedef struct ek_move {
  size_t size; /* of this structure; set it before a call */
  int moved;   /* 1 if objects have new ranks or places */
  int64_t objects, bytes; /* that changed their rank, over all ranks */
  double lambda;          /* of the new domains, by the weights */
} ek_move;

EK_API int ek_balancer_create(int communicator, const char* options, ek_balancer** balancer);
/* Call-backs around moves; a number other than 0 is an error, and undoes the move if it comes
 * before it. */
typedef int (*ek_hook)(void* user);
EK_API int ek_balancer_before_move(ek_balancer* balancer, ek_hook hook, void* user);
EK_API int ek_balancer_after_move(ek_balancer* balancer, ek_hook hook, void* user);

/* Collective; ends a step. `move` may be null. */
EK_API int ek_balancer_step(ek_balancer* balancer, const ek_set* sets, int set_count, int may_move,
                            int changed, ek_move* move);
/* Collective: balances now; the first call distributes the objects. */
EK_API int ek_balancer_rebalance(ek_balancer* balancer, const ek_set* sets, int set_count,
                                 ek_move* move);
/* Collective: sends objects that have left the domain of their rank to the owner of their place. */
EK_API int ek_balancer_migrate(ek_balancer* balancer, const ek_set* sets, int set_count,
                               ek_move* move);
/* Collective, before the first step: each rank owns the objects that it has. */
EK_API int ek_balancer_adopt(ek_balancer* balancer, const ek_set* sets, int set_count);
/* The rank that owns a point in the domains of an ek_balancer or ek_grid_balancer. Local. */
EK_API int ek_owner(const void* balancer, const double* point, int dimensions, int* rank);

/* --- Balancers whose program moves the data --------------------------------------------------- */

/* The step and propose functions of the following balancers are collective. They set a pointer to
 * a proposal, or to null. A proposal belongs to the balancer, and is valid until the next call with
 * it. The program moves its data and calls ek_accept(), or ek_drop(), on all ranks. Both are local.
 */
EK_API int ek_accept(void* balancer);
EK_API int ek_drop(void* balancer);

/* For blocks with ids: docs/howto/own_blocks.md. Besides options of all balancers, `options` may
 * have most_blocks, price_of_moving, consecutive and node_of_rank. */
typedef struct ek_block_balancer ek_block_balancer;

/* The blocks of this rank; see BlockInfo in monitor/block_balancer.hpp. Null means that an entry is
 * not given. */
typedef struct ek_blocks {
  size_t size; /* of this structure */
  int64_t count;
  const int64_t* id;
  const double *bytes, *weight;
  const int64_t* cells;                       /* three for each block */
  const double* centre;                       /* three for each block */
  const int64_t *first_neighbour, *neighbour; /* neighbours of block b are those from
                                                 neighbour[first_neighbour[b]] to before
                                                 neighbour[first_neighbour[b + 1]] */
  const int64_t *first_parent, *parent;       /* the same for the blocks that each was made from;
                                                 if first_parent is null, parent has one for each */
} ek_blocks;

typedef struct ek_block_move {
  int64_t id;
  int from, to; /* ranks */
  double bytes;
} ek_block_move;

typedef struct ek_block_proposal {
  int64_t map_count, leaving_count, arriving_count;
  const ek_block_move* map;      /* all blocks of all ranks, by id */
  const ek_block_move* leaving;  /* those that this rank sends, by receiver and then id */
  const ek_block_move* arriving; /* those that this rank receives, by sender and then id */
  int64_t blocks_moved;          /* over all ranks */
  double bytes_moved;
  double lambda_before, lambda, bound; /* no map has a lambda below `bound` */
  const char* reason;                  /* why lambda is not smaller */
} ek_block_proposal;

EK_API int ek_block_balancer_create(int communicator, const char* options,
                                    ek_block_balancer** balancer);
/* Collective, at the start, and whenever blocks of any rank are made or removed: all blocks that
 * this rank has now. */
EK_API int ek_block_balancer_describe(ek_block_balancer* balancer, const ek_blocks* blocks);
/* Time the work on a block, like ek_kernel_begin and ek_kernel_end. */
EK_API int ek_block_begin(ek_block_balancer* balancer, int64_t id);
EK_API int ek_block_end(ek_block_balancer* balancer, int64_t id);
/* Adds seconds that the program has measured itself. Local. */
EK_API int ek_block_add_cost(ek_block_balancer* balancer, int64_t id, double seconds);
/* Collective; ends a step. */
EK_API int ek_block_balancer_step(ek_block_balancer* balancer, int may_move, int changed,
                                  const ek_block_proposal** proposal);
/* Proposes a map now. */
EK_API int ek_block_balancer_propose(ek_block_balancer* balancer,
                                     const ek_block_proposal** proposal);
/* Collective. The same as ek_accept(), but first compares the blocks that this rank has now with
 * the proposal. */
EK_API int ek_block_balancer_accept(ek_block_balancer* balancer, const int64_t* ids, int64_t count);

/* For vertices of a graph: docs/graph.md. The method in `options` is a graph, such as
 * "method = graph fast 1.05"; "costs = as_given" says that vertices cost their weights. */
typedef struct ek_graph_balancer ek_graph_balancer;

/* The quality of a cut. `cut` is the weight of the edges between parts or, for nets, their
 * connectivity; `cut_edges` is the number of these edges or nets. */
typedef struct ek_cut_report {
  size_t size; /* of this structure; set it before a call */
  int parts, empty;
  int64_t cut_edges;
  double cut;
  double lambda, bound;       /* of the constraint with the greatest lambda */
  double moved, moved_weight; /* shares that leave their present part */
} ek_cut_report;

typedef struct ek_graph_proposal {
  int64_t count;
  const int* parts; /* the rank of each vertex of this rank */
  ek_cut_report report;
} ek_graph_proposal;

EK_API int ek_graph_balancer_create(int communicator, const char* options,
                                    ek_graph_balancer** balancer);
/* Collective; ends a step. */
EK_API int ek_graph_balancer_step(ek_graph_balancer* balancer, const ek_graph* graph, int may_move,
                                  int changed, const ek_graph_proposal** proposal);
/* Proposes ranks now; null as `method` is that of the options. */
EK_API int ek_graph_balancer_propose(ek_graph_balancer* balancer, const ek_graph* graph,
                                     const char* method, const ek_graph_proposal** proposal);

/* For boxes of cells: docs/grids.md. `options` must have a box; their method is tensor, staggered
 * (also if it is not given), bisection, voronoi or mesh; periodic, cell_size and least_width
 * count, too. */
typedef struct ek_grid_balancer ek_grid_balancer;

/* A range of cells of a mesh, and the rank with which it is exchanged. */
typedef struct ek_cells {
  int rank;
  int64_t begin[3], end[3];
} ek_cells;

typedef struct ek_cell_moves {
  int64_t leaving_count, entering_count, staying_count;
  const ek_cells *leaving, *entering, *staying; /* those of `staying` have this rank */
} ek_cell_moves;

EK_API int ek_grid_balancer_create(int communicator, const char* options,
                                   ek_grid_balancer** balancer);
/* Collective; ends a step. *proposed is 1 if new domains are proposed. A bisection needs the
 * centres and weights of cells; a power diagram or a mesh takes these or the centre of work, three
 * numbers. Either may be null. */
EK_API int ek_grid_balancer_step(ek_grid_balancer* balancer, const ek_set* cells,
                                 const double* centre_of_work, int may_move, int changed,
                                 int* proposed);
/* Proposes domains now, by cells or by the work of this rank's domain. */
EK_API int ek_grid_balancer_propose(ek_grid_balancer* balancer, const ek_set* cells,
                                    const double* centre_of_work, double work, int* proposed);
/* The cells of a mesh of cells[0] x cells[1] x cells[2] that this rank exchanges and keeps if the
 * open proposal is accepted. Without a proposal all its cells stay. The lists are valid until the
 * next call with the balancer. Local. */
EK_API int ek_grid_balancer_cells(ek_grid_balancer* balancer, const int64_t* cells,
                                  const ek_cell_moves** moves);
/* The accepted domain of this rank, or the box around it: three numbers each. Local. */
EK_API int ek_grid_balancer_domain(const ek_grid_balancer* balancer, double* lower, double* upper);
/* The ranks whose domains touch that of this rank. Valid until the next call. Local. */
EK_API int ek_grid_balancer_neighbours(ek_grid_balancer* balancer, const int** ranks, int* count);

/* --- Ids and ghosts --------------------------------------------------------------------------- */

/* Finds objects by their ids, integers of any value: docs/halo.md. All functions are collective. */
typedef struct ek_directory ek_directory;

/* `ids` are those of the objects of this rank. */
EK_API int ek_directory_create(int communicator, ek_field* ids, ek_directory** directory);
EK_API int ek_directory_update(ek_directory* directory, ek_field* ids);
/* Writes the rank of each id, or -1 if no object has it, and its index there. */
EK_API int ek_directory_look_up(ek_directory* directory, ek_field* ids, int* ranks,
                                int64_t* indices);

/* Writes the index of each id of `wanted` among `ids`, or -1. `indices` are signed integers in the
 * shape of `wanted`. Local. */
EK_API int ek_local_indices(ek_field* ids, ek_field* wanted, ek_field* indices);

/* Ghosts around the domains of a Balancer: docs/halo.md. All functions but the last two are
 * collective. */
typedef struct ek_halo ek_halo;

/* Ghosts within a width of the domain of this rank: along each axis or, if `straight` is not 0, in
 * a straight line. */
EK_API int ek_halo_create(ek_balancer* balancer, const ek_set* set, double width, int straight,
                          ek_halo** halo);
/* The ghosts are the objects of other ranks with one of these ids. */
EK_API int ek_halo_around_ids(ek_balancer* balancer, const ek_directory* directory, ek_field* ids,
                              int64_t owned, ek_halo** halo);
/* Gives the fields of a set room for owned objects and ghosts. */
EK_API int ek_halo_make_room(ek_halo* halo, const ek_set* set);
/* Writes ghosts behind the owned objects, or into the fields of `ghosts` if it is not null. A set
 * without a position is fields alone; otherwise positions are shifted by whole periods. */
EK_API int ek_halo_exchange(ek_halo* halo, const ek_set* owned, const ek_set* ghosts);
/* Adds the values of ghosts to those of their objects, in the carried fields of a set. */
EK_API int ek_halo_sum_back(ek_halo* halo, const ek_set* owned, const ek_set* ghosts);
/* The number of ghosts, and 1 if the halo was made for the present domains. */
EK_API int64_t ek_halo_ghosts(const ek_halo* halo);
EK_API int ek_halo_is_current(const ek_halo* halo);

/* --- Loans ------------------------------------------------------------------------------------ */

/* Balances one kernel without moving the mesh: docs/howto/lend_a_kernel.md. */
typedef struct ek_loan ek_loan;

/* Some objects for one call of the kernel. Value c of object i of field f is at
 * fields[f].data + (place * object_stride + c * component_stride) elements, where `place` is
 * objects[i], or i if `objects` is null. */
typedef struct ek_batch {
  int64_t count;
  const int64_t* objects;
  const ek_field* fields; /* those that are kept, then inputs, then results */
  int field_count;
  double* cost; /* may be written: cost[place] is the cost of an object; for all or for none */
  int owner, is_borrowed;
} ek_batch;

/* A number other than 0 is an error on all ranks. */
typedef int (*ek_batch_kernel)(const ek_batch* batch, void* user);

typedef struct ek_loan_call {
  size_t size; /* of this structure */
  int64_t count;
  ek_field *const *kept, *const *inputs, *const *results;
  int kept_count, input_count, result_count;
  ek_field* weight; /* expected cost of each object; may be null */
  ek_field* cost;   /* doubles that travel with the objects; may be null */
} ek_loan_call;

EK_API int ek_loan_of(void* balancer, const char* name, ek_loan** loan);
/* Collective. *lent (may be null) is 1 if objects were lent. */
EK_API int ek_loan_run(ek_loan* loan, const ek_loan_call* call, ek_batch_kernel kernel, void* user,
                       int* lent);
/* The same in two halves, with other work of this rank between them. Both are collective. Fields,
 * their memory and `user` must stay until ek_loan_end; `call` and its lists need not. */
EK_API int ek_loan_begin(ek_loan* loan, const ek_loan_call* call, ek_batch_kernel kernel,
                         void* user);
EK_API int ek_loan_end(ek_loan* loan, int* lent);

/* --- Maps, graphs and points ------------------------------------------------------------------ */

/* Blocks to ranks, without Kokkos and MPI: docs/assign.md. Null and 0 mean "not given". */
typedef struct ek_assign_options {
  size_t size; /* of this structure */
  int ranks;
  const int* from;           /* present rank of each block */
  const double* bytes;       /* of each block */
  const double* coordinates; /* `dimensions` for each block */
  int dimensions;
  const int* edges; /* two blocks for each edge */
  int64_t edge_count;
  int64_t most_blocks;
  const double *memory, *speeds; /* one number for each rank */
  double target;                 /* lambda; 0 is 1.05 */
} ek_assign_options;
/* Writes the rank of each block. lambda and bound may be null. */
EK_API int ek_assign(const double* costs, int64_t blocks, const ek_assign_options* options,
                     int* map, double* lambda, double* bound);

typedef struct ek_cut_options {
  size_t size;          /* of this structure */
  int parts;            /* 0: one for each rank */
  const double* speeds; /* of each part */
  ek_field* from;       /* present part of each object */
  const char* method;   /* as in options, such as "graph fast 1.05"; null is "graph" */
} ek_cut_options;
/* Collective. Writes the part of each vertex. `options` and `report` may be null. */
EK_API int ek_cut_graph(int communicator, const ek_graph* graph, const ek_cut_options* options,
                        int* parts, ek_cut_report* report);
/* Collective. The same for nets, in a structure of a graph: row e has the pins of net e,
 * `edge_weight` has a number for each net, and this rank has `objects` objects. */
EK_API int ek_cut_nets(int communicator, int64_t objects, const ek_graph* nets,
                       const ek_cut_options* options, int* parts, ek_cut_report* report);

/* Cuts a row of items into consecutive parts; no cut has a smaller greatest load. Writes
 * parts + 1 offsets. `speeds` and `lambda` may be null. Local. */
EK_API int ek_cut_chain(const double* weights, int64_t count, int parts, const double* speeds,
                        int64_t least_items, int64_t* offsets, double* lambda);

/* Collective. Writes the part of each point; 0 parts are one for each rank. `method` is as in
 * options ("hilbert", "voronoi", ...); null is hilbert. `weights` may be null. */
EK_API int ek_partition(int communicator, const double* points, int dimensions, int64_t count,
                        const double* weights, const char* method, int parts, int* part);

#ifdef __cplusplus
}
#endif

#endif
