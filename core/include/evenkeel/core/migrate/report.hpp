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

// Objects for a rank or from a rank: those from place `first` on in SetPlan::objects, or in the
// order of arrival.
struct Parcel {
  int rank;
  std::int64_t first, objects;
};

// The result of a rebalance, a migration or a move. It converts to false if no object moved,
// neither to another rank nor to another index; the domains may have changed nevertheless, see
// has_new_domains().
struct MoveReport {
  // The memory of a move on this rank, in bytes. It is known before anything moves.
  struct Memory {
    std::int64_t before = 0, after = 0;   // of the objects in all fields and payloads
    std::int64_t sent = 0, received = 0;  // of fields and payloads
    std::int64_t lists = 0;               // of objects and places, in the plan and on devices
    std::int64_t staging = 0;             // of messages
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
  std::int64_t generation = 0;          // of the present decomposition
  std::int64_t objects = 0, bytes = 0;  // that changed their rank, over all ranks; without origins
  std::int64_t messages = 0;            // that were sent, over all ranks
  std::int64_t sent = 0, received = 0;  // objects of this rank
  int partners = 0;                     // ranks that sent objects to this one, or received some
  double lambda = 1;                    // of the new decomposition, by the weights
  // Set by a Balancer that has cut for several phases: the evenness of each phase, and how far a
  // step is above the lower bound of any cut.
  std::optional<stages::PhaseLoads> phases = {};
  int refused = 0;             // decompositions that would have left a rank with too few objects
  std::int64_t forgotten = 0;  // objects whose learned costs were dropped, over all ranks
  Memory memory = {};          // of this rank
  // The origin of each object, for each set, in the memory that the space of its positions works
  // on; empty unless origins were asked for.
  std::vector<exec::Array<Origin>> origins = {};
  std::vector<std::pair<std::string, double>> seconds = {};  // of each stage, on the slowest rank
  // Set by a Balancer: the last domains and the present ones. Both are the same object if the
  // domains have not changed; they may change although nothing moved. Null in reports of move().
  std::shared_ptr<const Domains> last_domains = {}, domains = {};
  bool has_new_domains() const noexcept { return domains != last_domains; }
  explicit operator bool() const noexcept { return moved; }
};

}  // namespace evenkeel
