// Asks the call-backs for the whole graph of this rank, then cuts it like any other graph with ids.

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/comm/messages.hpp>
#include <evenkeel/extras/zoltan.hpp>

#include <evenkeel/backends/comm/transfer.hpp>
#include <evenkeel/core/field/standard.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <type_traits>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "extras/zoltan";
constexpr Refusal refuse{stage_name};

// --- Settings that must be the same on all ranks -------------------------------------------------

constexpr std::array<const char*, 6> names_of_settings = {"num_gid_entries", "num_lid_entries",
                                                          "obj_weight_dim",  "edge_weight_dim",
                                                          "uncuttable_from", "approach"};

struct Settings {
  std::array<double, names_of_settings.size()> least, greatest;
};

void combine(Settings& into, const Settings& from) noexcept {
  for (std::size_t s = 0; s < into.least.size(); ++s) {
    into.least[s] = std::min(into.least[s], from.least[s]);
    into.greatest[s] = std::max(into.greatest[s], from.greatest[s]);
  }
}

Settings settings_of(const GraphCallbacks& callbacks, const CallbackOptions& options) {
  Settings mine = {};
  mine.least = {static_cast<double>(callbacks.num_gid_entries),
                static_cast<double>(callbacks.num_lid_entries),
                static_cast<double>(callbacks.obj_weight_dim),
                static_cast<double>(callbacks.edge_weight_dim),
                callbacks.uncuttable_from,
                static_cast<double>(options.approach)};
  mine.greatest = mine.least;
  return mine;
}

void require_same(const Settings& all) {
  for (std::size_t s = 0; s < all.least.size(); ++s)
    if (all.least[s] != all.greatest[s])
      throw Error(ErrorKind::disagreement, Where{stage_name},
                  std::string("Ranks differ in ") + names_of_settings[s] + '.',
                  "Give the same on all ranks.");
}

void require_between(const char* what, int value, int least, int most) {
  if (value < least || value > most)
    refuse(std::string(what) + " is " + std::to_string(value) + '.',
           "Give " + std::to_string(least) + " to " + std::to_string(most) + '.');
}

void require_sensible(const GraphCallbacks& callbacks) {
  require_between("num_gid_entries", callbacks.num_gid_entries, 1, 2);
  require_between("num_lid_entries", callbacks.num_lid_entries, 0, std::numeric_limits<int>::max());
  require_between("obj_weight_dim", callbacks.obj_weight_dim, 0, most_graph_weights);
  require_between("edge_weight_dim", callbacks.edge_weight_dim, 0, 1);
  if (!(callbacks.uncuttable_from > 0))
    refuse("uncuttable_from is not a positive number.",
           "Use infinity if all edges of finite weight can be cut.");
  const auto require = [](const char* what, bool given) {
    if (!given)
      refuse(std::string("There is no call-back ") + what + '.', "Register a function for it.");
  };
  require("num_obj", callbacks.num_obj.function != nullptr);
  require("obj_list", callbacks.obj_list.function != nullptr);
  require("num_edges",
          callbacks.num_edges.function != nullptr || callbacks.num_edges_multi.function != nullptr);
  require("edge_list",
          callbacks.edge_list.function != nullptr || callbacks.edge_list_multi.function != nullptr);
}

// --- Questions -----------------------------------------------------------------------------------

// The objects of this rank, as the call-backs return them. Each array has one entry more than it
// needs, so no call-back gets a null pointer.
struct GivenObjects {
  std::size_t objects = 0;
  std::size_t gid = 0, lid = 0;  // entries of ids
  std::vector<unsigned int> global_ids, local_ids;
  std::vector<float> weights;
  std::vector<std::int64_t> offsets = {0};
  std::vector<unsigned int> neighbours;
  std::vector<float> edge_weights;
  std::vector<int> parts;                   // the present part of each object
  std::vector<std::uint64_t> ids, columns;  // global ids as numbers
};

template <class Function, class... Arguments>
auto call(const char* name, const Callback<Function>& callback, Arguments... arguments) {
  int ierr = 0;
  const auto require_success = [&] {
    if (ierr != 0)
      throw Error(
          ErrorKind::application, Where{stage_name},
          std::string("The call-back ") + name + " has set ierr to " + std::to_string(ierr) + '.',
          "Find out why the call-back fails.");
  };
  if constexpr (std::is_void_v<decltype(callback.function(callback.data, arguments..., &ierr))>) {
    callback.function(callback.data, arguments..., &ierr);
    require_success();
  } else {
    const auto answer = callback.function(callback.data, arguments..., &ierr);
    require_success();
    return answer;
  }
}

// Throws for a negative count.
std::size_t count_from(const char* name, int count) {
  if (count < 0)
    throw Error(ErrorKind::application, Where{stage_name},
                std::string("The call-back ") + name + " counts " + std::to_string(count) + '.',
                "Return 0 or more.");
  return static_cast<std::size_t>(count);
}

// The ids of an object, followed by those of the objects after it.
struct Ids {
  unsigned int *global, *local;
};
Ids ids_at(GivenObjects& told, std::size_t object) {
  return {told.global_ids.data() + object * told.gid, told.local_ids.data() + object * told.lid};
}

void ask_objects(const GraphCallbacks& callbacks, GivenObjects& told) {
  told.objects = count_from("num_obj", call("num_obj", callbacks.num_obj));
  const auto dimensions = static_cast<std::size_t>(callbacks.obj_weight_dim);
  told.global_ids.assign(told.objects * told.gid + 1, 0);
  told.local_ids.assign(told.objects * told.lid + 1, 0);
  told.weights.assign(told.objects * dimensions + 1, 0);
  if (told.objects > 0)
    call("obj_list", callbacks.obj_list, callbacks.num_gid_entries, callbacks.num_lid_entries,
         told.global_ids.data(), told.local_ids.data(), callbacks.obj_weight_dim,
         told.weights.data());
}

// Returns a number for each object. Asks the call-back for many objects if it is given.
std::vector<int> ask_of_each(const GraphCallbacks& callbacks, GivenObjects& told, const char* name,
                             const Callback<NumEdgesFn>& of_one, const char* name_of_many,
                             const Callback<NumEdgesMultiFn>& of_many) {
  std::vector<int> numbers(told.objects, 0);
  const int gid = callbacks.num_gid_entries, lid = callbacks.num_lid_entries;
  if (of_many.function == nullptr) {
    for (std::size_t v = 0; v < told.objects; ++v) {
      const Ids ids = ids_at(told, v);
      numbers[v] = call(name, of_one, gid, lid, ids.global, ids.local);
    }
  } else if (told.objects > 0) {
    call(name_of_many, of_many, gid, lid, static_cast<int>(told.objects), told.global_ids.data(),
         told.local_ids.data(), numbers.data());
  }
  return numbers;
}

// Returns the number of edges of each object.
std::vector<int> ask_degrees(const GraphCallbacks& callbacks, GivenObjects& told) {
  std::vector<int> degrees = ask_of_each(callbacks, told, "num_edges", callbacks.num_edges,
                                         "num_edges_multi", callbacks.num_edges_multi);
  for (const int degree : degrees)
    told.offsets.push_back(told.offsets.back() +
                           static_cast<std::int64_t>(count_from("num_edges", degree)));
  return degrees;
}

void ask_edges(const GraphCallbacks& callbacks, GivenObjects& told) {
  std::vector<int> degrees = ask_degrees(callbacks, told);
  const auto edges = static_cast<std::size_t>(told.offsets.back());
  const int gid = callbacks.num_gid_entries, lid = callbacks.num_lid_entries;
  const int dimensions = callbacks.edge_weight_dim;
  told.neighbours.assign(edges * told.gid + 1, 0);
  told.edge_weights.assign(edges * static_cast<std::size_t>(dimensions) + 1, 0);
  std::vector<int> procs(edges + 1, 0);
  if (callbacks.edge_list_multi.function != nullptr) {
    if (told.objects > 0)
      call("edge_list_multi", callbacks.edge_list_multi, gid, lid, static_cast<int>(told.objects),
           told.global_ids.data(), told.local_ids.data(), degrees.data(), told.neighbours.data(),
           procs.data(), dimensions, told.edge_weights.data());
    return;
  }
  for (std::size_t v = 0; v < told.objects; ++v) {
    if (degrees[v] == 0) continue;
    const auto first = static_cast<std::size_t>(told.offsets[v]);
    const Ids ids = ids_at(told, v);
    call("edge_list", callbacks.edge_list, gid, lid, ids.global, ids.local,
         told.neighbours.data() + first * told.gid, procs.data() + first, dimensions,
         told.edge_weights.data() + first * static_cast<std::size_t>(dimensions));
  }
}

void ask_parts(const GraphCallbacks& callbacks, int part_of_rank, GivenObjects& told) {
  if (callbacks.part.function == nullptr && callbacks.part_multi.function == nullptr)
    told.parts.assign(told.objects, part_of_rank);
  else
    told.parts =
        ask_of_each(callbacks, told, "part", callbacks.part, "part_multi", callbacks.part_multi);
}

// A threshold need not be a float. A weight that is the float nearest to the threshold has reached
// it.
void mark_uncuttable(double uncuttable_from, std::vector<float>& weights) {
  const float least =
      std::max(static_cast<float>(uncuttable_from), std::numeric_limits<float>::denorm_min());
  for (float& weight : weights)
    if (weight >= least) weight = std::numeric_limits<float>::infinity();
}

std::vector<std::uint64_t> as_numbers(const std::vector<unsigned int>& ids, std::size_t count,
                                      std::size_t entries) {
  std::vector<std::uint64_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = entries; k-- > 0;) numbers[i] = numbers[i] << 32U | ids[i * entries + k];
  return numbers;
}

GivenObjects ask(const GraphCallbacks& callbacks, int part_of_rank) {
  GivenObjects told;
  told.gid = static_cast<std::size_t>(callbacks.num_gid_entries);
  told.lid = static_cast<std::size_t>(callbacks.num_lid_entries);
  ask_objects(callbacks, told);
  ask_edges(callbacks, told);
  ask_parts(callbacks, part_of_rank, told);
  mark_uncuttable(callbacks.uncuttable_from, told.edge_weights);
  told.ids = as_numbers(told.global_ids, told.objects, told.gid);
  told.columns =
      as_numbers(told.neighbours, static_cast<std::size_t>(told.offsets.back()), told.gid);
  return told;
}

// --- Answers -------------------------------------------------------------------------------------

// The first part of a rank, or no_part.
int first_part_of(int rank, int parts, int ranks) {
  if (parts >= ranks) return rank * (parts / ranks) + std::max(0, rank - ranks + parts % ranks);
  const auto part = static_cast<int>((static_cast<std::int64_t>(rank) * parts + ranks - 1) / ranks);
  return part < parts && rank_of_part(part, parts, ranks) == rank ? part : no_part;
}

ObjectList exports_of(const GivenObjects& told, const std::vector<int>& after, int parts,
                      const Communicator& communicator) {
  ObjectList list;
  for (std::size_t v = 0; v < told.objects; ++v) {
    const int rank = rank_of_part(after[v], parts, communicator.size());
    if (after[v] == told.parts[v] && rank == communicator.rank()) continue;
    const auto add = [&](const std::vector<unsigned int>& ids, std::size_t entries,
                         std::vector<unsigned int>& to) {
      const auto first = ids.begin() + static_cast<std::ptrdiff_t>(v * entries);
      to.insert(to.end(), first, first + static_cast<std::ptrdiff_t>(entries));
    };
    add(told.global_ids, told.gid, list.global_ids);
    add(told.local_ids, told.lid, list.local_ids);
    list.procs.push_back(rank);
    list.to_part.push_back(after[v]);
  }
  return list;
}

// The layout of an object in a message: its ids and its part.
struct ObjectMessage {
  std::size_t gid, lid;
  std::size_t length() const { return gid + lid + 1; }
  std::int64_t words(std::int64_t objects) const {
    return objects * static_cast<std::int64_t>(length());
  }

  void write(const ObjectList& list, std::size_t i, unsigned int* to) const {
    to = std::copy_n(list.global_ids.data() + i * gid, gid, to);
    to = std::copy_n(list.local_ids.data() + i * lid, lid, to);
    *to = static_cast<unsigned int>(list.to_part[i]);
  }
  void read(const unsigned int* from, int rank, ObjectList& list) const {
    list.global_ids.insert(list.global_ids.end(), from, from + gid);
    list.local_ids.insert(list.local_ids.end(), from + gid, from + gid + lid);
    list.procs.push_back(rank);
    list.to_part.push_back(static_cast<int>(from[gid + lid]));
  }
};

struct OutgoingObjects {
  std::vector<unsigned int> words;
  std::vector<Note<std::int64_t>> counts;  // by ascending rank
};

OutgoingObjects written(const ObjectMessage& message, const ObjectList& exports) {
  std::vector<std::size_t> order(exports.procs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return exports.procs[a] < exports.procs[b];
  });
  OutgoingObjects out;
  out.words.resize(order.size() * message.length());
  unsigned int* to = out.words.data();
  for (const std::size_t i : order) {
    if (out.counts.empty() || out.counts.back().rank != exports.procs[i])
      out.counts.push_back({exports.procs[i], 0});
    ++out.counts.back().content;
    message.write(exports, i, to);
    to += message.length();
  }
  return out;
}

Transfer transfer_of(const Communicator& communicator, const ObjectMessage& message,
                     OutgoingObjects& out, const std::vector<Note<std::int64_t>>& arriving,
                     std::vector<unsigned int>& arrived) {
  const auto words = [&](std::int64_t objects) { return message.words(objects); };
  std::int64_t count = 0;
  for (const Note<std::int64_t>& note : arriving) count += note.content;
  arrived.resize(static_cast<std::size_t>(words(count)));
  std::vector<Send> sends;
  std::vector<Receive> receives;
  add_messages(sends, out.counts, out.words.data(), MemoryKind::host, words);
  add_messages(receives, arriving, arrived.data(), MemoryKind::host, words);
  return {Space::where(MemoryKind::host), communicator, sends, receives};
}

// Collective. Returns the imports of this rank. `status` has the same meaning as in vote().
ObjectList imports_of(const Communicator& communicator, const Status& status,
                      const ObjectMessage& message, const ObjectList& exports) {
  OutgoingObjects out;
  Status ready = status;
  if (ready.ok()) ready = attempt(stage_name, [&] { out = written(message, exports); });
  const std::vector<Note<std::int64_t>> arriving =
      announce(communicator, stage_name, ready, out.counts);
  std::vector<unsigned int> arrived;
  std::optional<Transfer> transfer;
  if (ready.ok())
    ready = attempt(stage_name, [&] {
      transfer.emplace(transfer_of(communicator, message, out, arriving, arrived));
    });
  vote(communicator, ready);
  ObjectList imports;
  vote(communicator, attempt(stage_name, [&] {
         transfer->run();
         const unsigned int* from = arrived.data();
         for (const Note<std::int64_t>& note : arriving)
           for (std::int64_t i = 0; i < note.content; ++i, from += message.length())
             message.read(from, note.rank, imports);
       }));
  return imports;
}

// --- The graph -----------------------------------------------------------------------------------

GraphCut cut_told(const Space& space, const Communicator& communicator,
                  const GraphCallbacks& callbacks, const CallbackOptions& options,
                  const ByGraph& method, GivenObjects& told) {
  const auto weights =
      raw_field(told.weights.data(), {.count = static_cast<std::int64_t>(told.objects),
                                      .components = std::max(callbacks.obj_weight_dim, 1),
                                      .label = "obj_wgts"});
  const auto edge_weights =
      raw_field(told.edge_weights.data(), {.count = told.offsets.back(), .label = "nbor_ewgts"});
  GraphOptions known;
  known.id = told.ids;
  if (callbacks.obj_weight_dim > 0) known.weight = weights;
  if (callbacks.edge_weight_dim > 0) known.edge_weight = edge_weights;
  GraphCutOptions all;
  all.parts = options.parts;
  ByGraph how = method;
  if (options.approach != GraphApproach::partition) all.from = told.parts;
  if (options.approach == GraphApproach::refine) how.effort = Effort::polish;
  return cut_graph(space, communicator, graph(told.offsets, told.columns, known), all, how);
}

}  // namespace

const char* name_of(GraphApproach approach) noexcept {
  switch (approach) {
    case GraphApproach::partition: return "partition";
    case GraphApproach::repartition: return "repartition";
    case GraphApproach::refine: return "refine";
  }
  return "?";
}

CallbackCut cut_by_callbacks(const Space& space, const Communicator& communicator,
                             const GraphCallbacks& callbacks, const CallbackOptions& options,
                             const ByGraph& method) {
  const int parts = options.parts > 0 ? options.parts : communicator.size();
  GivenObjects told;
  const Status ready = attempt(
      stage_name,
      [&] {
        require_sensible(callbacks);
        told = ask(callbacks, first_part_of(communicator.rank(), parts, communicator.size()));
      },
      ErrorKind::application);
  require_same(vote<&combine>(communicator, ready, settings_of(callbacks, options)));

  const GraphCut cut = cut_told(space, communicator, callbacks, options, method, told);
  CallbackCut result;
  result.report = cut.report;
  const Status listed = attempt(stage_name, [&] {
    result.parts = cut.parts.on_host();
    result.exports = exports_of(told, result.parts, parts, communicator);
  });
  result.imports = imports_of(communicator, listed, {told.gid, told.lid}, result.exports);
  const std::int64_t changes = std::ssize(result.exports.procs);
  result.changes = communicator.all_reduce(changes, Reduction::sum) > 0;
  return result;
}

}  // namespace evenkeel
