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

// Objects for a rank, or from a rank: those from place `first` on in SetPlan::objects, or in the
// order of arrival.
struct Parcel {
  int rank;
  std::int64_t first, objects;
};

// Memory of a move on this rank, in bytes, known before anything moves.
struct MoveMemory {
  std::int64_t before = 0, after = 0;   // of the objects in all fields
  std::int64_t sent = 0, received = 0;  // of fields
  std::int64_t lists = 0;               // of objects and places, in the plan and on devices
  std::int64_t staging = 0;
  // The most memory that is in use during a move, if all containers are re-allocated.
  std::int64_t peak() const noexcept { return before + after + lists + staging; }
};
// Where an object was.
struct Origin {
  int rank;
  std::int64_t index;
  friend bool operator==(const Origin&, const Origin&) = default;
};

// What a rebalance did. False: nothing changed, not even the order.
struct MoveReport {
  bool moved = false;
  std::int64_t generation = 0;          // of the decomposition now
  std::int64_t objects = 0, bytes = 0;  // that changed their rank, over all ranks; without origins
  std::int64_t messages = 0;            // that were sent, over all ranks
  std::int64_t sent = 0, received = 0;  // objects, this rank
  int partners = 0;                     // ranks that this one traded with
  double lambda = 1;                    // of the new decomposition, by the weights
  // Of a Balancer that has cut for several phases: how even each is, and how far a step is above
  // what no cut could be below.
  std::optional<PhaseLoads> phases = {};
  int refused = 0;             // decompositions that would have left a rank with too few objects
  std::int64_t forgotten = 0;  // objects, over all ranks, whose learned costs are
  MoveMemory memory = {};      // this rank
  // If asked for: the origin of each object, for each set, in the memory that the space of its
  // positions works on.
  std::vector<exec::Array<Origin>> origins = {};
  std::vector<std::pair<std::string, double>> seconds = {};  // of each stage, slowest rank
  // Of a Balancer: the domains before and now, the same where they have not changed; they may also
  // have changed when nothing moved. Null in reports of move().
  std::shared_ptr<const Domains> last_domains = {}, domains = {};
  bool has_new_domains() const noexcept { return domains != last_domains; }
  explicit operator bool() const noexcept { return moved; }
};

}  // namespace evenkeel
