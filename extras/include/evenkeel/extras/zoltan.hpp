#pragma once

// Graphs told by call-backs of Zoltan's signatures, for codes that have them; nothing of Zoltan is
// needed. The functions that were given to Zoltan_Set_Num_Obj_Fn and its like are registered as
// they are, and one call answers as Zoltan_LB_Partition does.
//
//   const ek::GraphCallbacks mesh = {.num_obj = {count_cells, &cells},
//                                    .obj_list = {list_cells, &cells},
//                                    .num_edges = {count_neighbours, &cells},
//                                    .edge_list = {list_neighbours, &cells}};
//   const ek::CallbackCut cut = ek::cut_by_callbacks(space, ranks, mesh);
//   cut.exports.global_ids, cut.exports.procs          // what leaves this rank, and for where
//
// docs/from_zoltan.md has the whole way, and a table of parameters.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/config.hpp>
#include <evenkeel/core/graph.hpp>

#include <limits>
#include <vector>

namespace evenkeel {

// Ids are arrays of unsigned int: num_gid_entries or num_lid_entries for each object, objects one
// after the other. An *ierr that is not 0 (ZOLTAN_OK) is a failure. Names of parameters are those
// that Zoltan's documents use.
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

// A function of the application, and what it is called with.
template <class Function>
struct Callback {
  Function* function = nullptr;
  void* data = nullptr;
};

// The numbers are the same on all ranks.
struct GraphCallbacks {
  Callback<NumObjFn> num_obj = {};
  Callback<ObjListFn> obj_list = {};
  // One of each two is needed; if both are there, the one for many objects is called.
  Callback<NumEdgesFn> num_edges = {};
  Callback<NumEdgesMultiFn> num_edges_multi = {};
  Callback<EdgeListFn> edge_list = {};
  Callback<EdgeListMultiFn> edge_list_multi = {};
  // The part that each object is in now. None: the first one of its rank.
  Callback<PartFn> part = {};
  Callback<PartMultiFn> part_multi = {};

  // At most 2 entries: a global id is a number of 64 bits, its first entry the lower half.
  int num_gid_entries = 1;
  int num_lid_entries = 1;
  int obj_weight_dim = 0;   // up to most_graph_weights; each dimension is balanced
  int edge_weight_dim = 0;  // 0 or 1
  // Edges of this weight or more must not be cut; infinity is always such a weight.
  double uncuttable_from = std::numeric_limits<double>::infinity();
};

// What Zoltan calls LB_APPROACH.
enum class GraphApproach : int {
  partition,    // from nothing
  repartition,  // from the parts that there are
  refine        // the same with Effort::polish, whatever the method says
};
EVENKEEL_API const char* name_of(GraphApproach approach) noexcept;

// The same on all ranks.
struct CallbackOptions {
  int parts = 0;  // 0: one for each rank
  GraphApproach approach = GraphApproach::repartition;
};

// The rank that has a part. Each has a run of parts, and where they are not all alike, the last
// ranks have one more. Where there are fewer parts than ranks, some ranks have none.
constexpr int rank_of_part(int part, int parts, int ranks) noexcept {
  if (parts < ranks) return static_cast<int>(static_cast<long long>(part) * ranks / parts);
  const int least = parts / ranks, short_ranks = ranks - parts % ranks;
  const int beyond = part - short_ranks * least;
  return beyond < 0 ? part / least : short_ranks + beyond / (least + 1);
}

// Objects that change their rank, or only their part. The arrays have an entry, or as many as ids
// have, for each of them.
struct ObjectList {
  std::vector<unsigned int> global_ids;
  std::vector<unsigned int> local_ids;  // of the rank that has the object
  std::vector<int> procs;               // of exports: where they go; of imports: where they are
  std::vector<int> to_part;             // where they will be
};

// What Zoltan_LB_Partition tells in its arguments.
struct CallbackCut {
  bool changes = false;    // some object of some rank is in a list; the same on all ranks
  ObjectList imports;      // ordered by the rank that they come from, and then as it lists them
  ObjectList exports;      // in the order in which this rank lists its objects
  std::vector<int> parts;  // of all objects of this rank
  GraphReport report;
};

// Collective. Calls the call-backs, cuts the graph that they tell, by ids, and says what would have
// to move; nothing has moved. What nbor_procs are set to is not needed, and ignored. Throws the
// same Error on all ranks for: a call-back that throws, sets ierr, or counts below 0; one that is
// missing; numbers above that are out of range, or differ between ranks; and what cut_graph
// refuses.
EVENKEEL_API CallbackCut cut_by_callbacks(const Space& space, const Communicator& communicator,
                                          const GraphCallbacks& callbacks,
                                          const CallbackOptions& options = {},
                                          const ByGraph& method = {});

}  // namespace evenkeel
