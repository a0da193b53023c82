#ifndef EVENKEEL_C_H
#define EVENKEEL_C_H

/* evenkeel for C: link evenkeel::c (libevenkeel_c). docs/c.md has a whole program.
 *
 * A function returns EK_SUCCESS or the kind of its error; ek_message() then has a text that says
 * what is wrong and what to do. A collective function returns the same error on all ranks. A
 * communicator is given as a Fortran handle: MPI_Comm_c2f(MPI_COMM_WORLD). In a build without MPI,
 * any number is this process alone. Objects that evenkeel makes are freed by the ek_..._free of
 * their type. Kokkos need not be known: the first function that needs it starts it, and ek_stop()
 * ends it, unless the program has started it itself. */

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
/* The version of the library, such as "0.1.0", and as a number: 10000 * major + 100 * minor +
 * patch. */
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
} ek_set;

/* --- Kernels ---------------------------------------------------------------------------------- */

/* A timed region of the program's own work. It is freed with its Monitor or Balancer. */
typedef struct ek_kernel ek_kernel;

/* Measures from begin to end, in one thread. Kernels may be nested: the inner one ends first. */
EK_API int ek_kernel_begin(ek_kernel* kernel);
EK_API int ek_kernel_end(ek_kernel* kernel);

/* --- Monitor ---------------------------------------------------------------------------------- */

/* Times kernels, and says when to rebalance; the program does it. `options` are lines or
 * semicolon-separated entries "key = value", as in an options file; null is none. */
typedef struct ek_monitor ek_monitor;

EK_API int ek_monitor_create(int communicator, const char* options, ek_monitor** monitor);
EK_API void ek_monitor_free(ek_monitor* monitor);
EK_API int ek_monitor_kernel(ek_monitor* monitor, const char* name, int phase, ek_kernel** kernel);
/* Collective; ends a step. *advice is 1 if the program should rebalance now, else 0. */
EK_API int ek_monitor_step(ek_monitor* monitor, int64_t objects, int may_move, int* advice);
/* Collective: the decomposition has changed. */
EK_API int ek_monitor_rebalanced(ek_monitor* monitor);
EK_API int ek_monitor_note_cost(ek_monitor* monitor, double seconds);
EK_API int ek_monitor_finish(ek_monitor* monitor);
/* Of the last look: the greatest load over the average; 0 if no look has been made. */
EK_API double ek_monitor_lambda(const ek_monitor* monitor);

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
EK_API void ek_balancer_free(ek_balancer* balancer);
EK_API int ek_balancer_kernel(ek_balancer* balancer, const char* name, int phase,
                              ek_kernel** kernel);
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
EK_API int ek_balancer_note_cost(ek_balancer* balancer, double seconds);
/* The rank that owns a point. Local. */
EK_API int ek_balancer_owner(const ek_balancer* balancer, const double* point, int dimensions,
                             int* rank);
EK_API double ek_balancer_lambda(const ek_balancer* balancer);
/* Collective, before the first step: takes over the text of an earlier ek_balancer_state(). */
EK_API int ek_balancer_restore(ek_balancer* balancer, const char* state);
/* All that the run has learned, as a text that is valid until the next call. Local. */
EK_API int ek_balancer_state(ek_balancer* balancer, const char** state);
EK_API int ek_balancer_finish(ek_balancer* balancer);

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

EK_API int ek_monitor_loan(ek_monitor* monitor, const char* name, ek_loan** loan);
EK_API int ek_balancer_loan(ek_balancer* balancer, const char* name, ek_loan** loan);
/* Before its Monitor or Balancer is freed. */
EK_API void ek_loan_free(ek_loan* loan);
/* Collective. *lent (may be null) is 1 if objects were lent. */
EK_API int ek_loan_run(ek_loan* loan, const ek_loan_call* call, ek_batch_kernel kernel, void* user,
                       int* lent);

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

/* A graph that is spread over ranks: offsets[vertices + 1] and columns count the vertices of all
 * ranks, rank after rank. */
typedef struct ek_graph_options {
  size_t size; /* of this structure */
  int parts;   /* 0: one for each rank */
  const double* weights; /* `weight_count` for each vertex */
  int weight_count;
  const double* edge_weights;
  const int* from;       /* present part of each vertex */
  const double* speeds;  /* of each part */
  const double* position;
  int dimensions;
  double target; /* lambda; 0 is the default of cut_graph */
} ek_graph_options;
/* Collective. Writes the part of each vertex; cut_edges may be null. */
EK_API int ek_cut_graph(int communicator, int64_t vertices, const int64_t* offsets,
                        const int64_t* columns, const ek_graph_options* options, int* parts,
                        int64_t* cut_edges);

/* Collective. Writes the part of each point; 0 parts are one for each rank. `method` is as in
 * options ("hilbert", "voronoi", ...); null is hilbert. `weights` may be null. */
EK_API int ek_partition(int communicator, const double* points, int dimensions, int64_t count,
                        const double* weights, const char* method, int parts, int* part);

#ifdef __cplusplus
}
#endif

#endif
