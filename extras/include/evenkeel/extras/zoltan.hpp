#pragma once

// Cuts graphs that an application describes by call-backs with Zoltan's signatures. Zoltan itself
// is not needed. The functions that were registered by Zoltan_Set_Num_Obj_Fn and the like need no
// change, and one call returns the same lists as Zoltan_LB_Partition.
//
//   const ek::GraphCallbacks mesh = {.num_obj = {count_cells, &cells},
//                                    .obj_list = {list_cells, &cells},
//                                    .num_edges = {count_neighbours, &cells},
//                                    .edge_list = {list_neighbours, &cells}};
//   const ek::CallbackCut cut = ek::cut_by_callbacks(space, ranks, mesh);
//   cut.exports.global_ids, cut.exports.procs          // objects that leave, and their new ranks
//
// docs/from_zoltan.md describes all steps, with a table of parameters.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/config.hpp>
#include <evenkeel/core/graph.hpp>

#include <limits>
#include <vector>

namespace evenkeel {

// Ids are arrays of unsigned int: num_gid_entries or num_lid_entries for each object, one object
// after the other. An *ierr that is not 0 (ZOLTAN_OK) is a failure. Parameters are named as in
// Zoltan's documents.
using NumObjFn = int(void* data, int* ierr);
using ObjListFn = void(void* data, int num_gid_entries, int num_lid_entries,
                       unsigned int* global_ids, unsigned int* local_ids, int wgt_dim,
                       float* obj_wgts, int* ierr);
using NumEdgesFn = int(void* data, int num_gid_entries, int num_lid_entries,
                       unsigned int* global_id, unsigned int* local_id, int* ierr);
using NumEdgesMultiFn = void(void* data, int num_gid_entries, int num_lid_entries, int num_obj,
                             unsigned int* global_ids, unsigned int* local_ids, int* num_edges,
                             int* ierr);
using EdgeListFn = void(void* data, int num_gid_entries, int num_lid_entries,
                        unsigned int* global_id, unsigned int* local_id,
                        unsigned int* nbor_global_id, int* nbor_procs, int wgt_dim,
                        float* nbor_ewgts, int* ierr);
using EdgeListMultiFn = void(void* data, int num_gid_entries, int num_lid_entries, int num_obj,
                             unsigned int* global_ids, unsigned int* local_ids, int* num_edges,
                             unsigned int* nbor_global_id, int* nbor_procs, int wgt_dim,
                             float* nbor_ewgts, int* ierr);
using PartFn = int(void* data, int num_gid_entries, int num_lid_entries, unsigned int* global_id,
                   unsigned int* local_id, int* ierr);
using PartMultiFn = void(void* data, int num_gid_entries, int num_lid_entries, int num_obj,
                         unsigned int* global_ids, unsigned int* local_ids, int* parts, int* ierr);

// A function of the application, and the pointer that it gets.
template <class Function>
struct Callback {
  Function* function = nullptr;
  void* data = nullptr;
};

// The call-backs that describe a graph. The numbers must be the same on all ranks.
struct GraphCallbacks {
  Callback<NumObjFn> num_obj = {};
  Callback<ObjListFn> obj_list = {};
  // One function of each pair is needed. If both are given, the one for many objects is called.
  Callback<NumEdgesFn> num_edges = {};
  Callback<NumEdgesMultiFn> num_edges_multi = {};
  Callback<EdgeListFn> edge_list = {};
  Callback<EdgeListMultiFn> edge_list_multi = {};
  // The present part of each object. If both call-backs are missing, it is the first part of the
  // object's rank.
  Callback<PartFn> part = {};
  Callback<PartMultiFn> part_multi = {};

  // The entries of a global id: 1, or 2 for a number of 64 bits, whose first entry is the lower
  // half.
  int num_gid_entries = 1;
  int num_lid_entries = 1;
  int obj_weight_dim = 0;   // up to most_graph_weights; each dimension is balanced
  int edge_weight_dim = 0;  // 0 or 1
  // Edges of this weight or more must not be cut; infinity is always such a weight.
  double uncuttable_from = std::numeric_limits<double>::infinity();
};

// The parameter LB_APPROACH of Zoltan.
enum class GraphApproach : int {
  partition,    // from nothing
  repartition,  // from the present parts
  refine        // from the present parts, always with Effort::polish
};
// The name of an enumerator.
EVENKEEL_API const char* name_of(GraphApproach approach) noexcept;

// The options of a cut; the same on all ranks.
struct CallbackOptions {
  int parts = 0;  // if it is 0, there is one part for each rank
  GraphApproach approach = GraphApproach::repartition;
};

// The rank that owns a part. Each rank owns consecutive parts; if their numbers cannot be equal,
// the last ranks own one more. If there are fewer parts than ranks, some ranks own no part.
constexpr int rank_of_part(int part, int parts, int ranks) noexcept {
  if (parts < ranks) return static_cast<int>(static_cast<long long>(part) * ranks / parts);
  const int least = parts / ranks, short_ranks = ranks - parts % ranks;
  const int beyond = part - short_ranks * least;
  return beyond < 0 ? part / least : short_ranks + beyond / (least + 1);
}

// Objects that change their rank, or only their part. The arrays have one entry for each object; an
// array of ids has as many entries for each object as an id has.
struct ObjectList {
  std::vector<unsigned int> global_ids;
  std::vector<unsigned int> local_ids;  // on the rank that has the object now
  std::vector<int> procs;               // of exports, the new ranks; of imports, the present ones
  std::vector<int> to_part;             // the new parts
};

// The results that Zoltan_LB_Partition returns in its arguments.
struct CallbackCut {
  bool changes = false;    // true if a list of some rank is not empty; the same on all ranks
  ObjectList imports;      // sorted by present rank, and then in the order in which that rank lists
                           // them
  ObjectList exports;      // in the order in which this rank lists its objects
  std::vector<int> parts;  // the new parts of all objects of this rank
  GraphReport report;
};

// Collective. Calls the call-backs, cuts the graph that they describe by ids, and returns the
// objects that would have to move; it moves nothing. The values of nbor_procs are ignored. Throws
// the same Error on all ranks if a call-back is missing, throws, sets ierr or returns a negative
// count, if a number in GraphCallbacks or CallbackOptions is out of range or differs between ranks,
// or if cut_graph() refuses the graph.
EVENKEEL_API CallbackCut cut_by_callbacks(const Space& space, const Communicator& communicator,
                                          const GraphCallbacks& callbacks,
                                          const CallbackOptions& options = {},
                                          const ByGraph& method = {});

}  // namespace evenkeel
