#pragma once

// The report of a move.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/weights/phase_loads.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel {

// Objects for a rank or from a rank. `first` is the place of the first of them in SetPlan::objects,
// or in the order of arrival.
struct Parcel {
  int rank;
  std::int64_t first, objects;
};

// The result of a rebalance, a migration or a move. It converts to false if no object has a new
// rank or a new index. Even then the domains may have changed; see has_new_domains().
struct MoveReport {
  // The memory of a move on this rank, in bytes. It is known before anything moves.
  struct Memory {
    std::int64_t before = 0, after = 0;   // of the objects in all fields and payloads
    std::int64_t sent = 0, received = 0;  // of fields and payloads
    std::int64_t lists = 0;    // of lists of objects and places, in the plan and on devices
    std::int64_t staging = 0;  // of messages
    // The most memory that is in use during a move, if all containers are re-allocated.
    std::int64_t peak() const noexcept { return before + after + lists + staging; }
  };
  // The rank and the index of an object before the move.
  struct Origin {
    int rank;
    std::int64_t index;
    friend bool operator==(const Origin&, const Origin&) = default;
  };

  bool moved = false;
  std::int64_t generation = 0;  // of the present decomposition
  // The objects that changed their rank, over all ranks, and their bytes: those of fields and
  // payloads, without origins, or SetOptions::bytes_per_object for each object if it is set.
  std::int64_t objects = 0, bytes = 0;
  std::int64_t messages = 0;            // sent over all ranks
  std::int64_t sent = 0, received = 0;  // objects of this rank
  int partners = 0;   // ranks that sent objects to this rank, or received some from it
  double lambda = 1;  // of the new decomposition, computed by the weights
  // The loads of each phase under the new domains, and how far the step is above the lower bound of
  // any cut. Only a Balancer that has cut for several phases sets it.
  std::optional<stages::PhaseLoads> phases = {};
  // Decompositions not used, since a rank would have had too few objects or too little memory.
  int refused = 0;
  std::int64_t forgotten = 0;  // objects whose learned costs were dropped, over all ranks
  Memory memory = {};          // of this rank
  // For each set, the origin of each object, in the memory that the space of its positions works
  // on. It is empty if the options of the move do not ask for origins.
  std::vector<exec::Array<Origin>> origins = {};
  std::vector<std::pair<std::string, double>> seconds = {};  // of each stage: the greatest over
                                                             // ranks
  // The domains before and now, set by a Balancer. Both are the same object if the domains have not
  // changed. In reports of move() they are null.
  std::shared_ptr<const Domains> last_domains = {}, domains = {};
  bool has_new_domains() const noexcept { return domains != last_domains; }
  explicit operator bool() const noexcept { return moved; }
};

}  // namespace evenkeel
