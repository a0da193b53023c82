#pragma once

// Carrying out a plan, as a transaction.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/migrate/plan.hpp>
#include <evenkeel/core/migrate/shapes.hpp>
#include <evenkeel/core/set.hpp>
#include <evenkeel/core/weights/phase_loads.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel {

// The local parts of a transaction, in order.
enum class MoveStage : int {
  reserve,  // all memory is made
  pack,     // before the first object is packed
  unpack    // before the first object is unpacked; messages come in and go out in turn
};
EVENKEEL_API const char* name_of(MoveStage stage) noexcept;

// How to move; what is not said to be the same on all ranks may differ.
struct MoveOptions {
  // Called on every rank as each local part begins. If it throws, this rank fails, and the move is
  // undone on all ranks.
  std::function<void(MoveStage)> on_stage = {};
  // Limits on the memory for messages, for each kind of memory, and on the messages in flight each
  // way; the same on all ranks. 0: no limit.
  std::int64_t staging_bytes = std::int64_t{256} << 20;
  int messages_in_flight = 8;
  // Report where each object came from; the same on all ranks.
  bool origins = false;
  // Seconds of the stages before the move, on this rank; the report includes them.
  std::vector<std::pair<std::string, double>> seconds_before = {};
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
// Local.
EVENKEEL_API MoveMemory memory_of(const Communicator& communicator, std::span<const Set> sets,
                                  std::span<const SetShape> shapes, const Plan& plan,
                                  const MoveOptions& options = {});

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

// Collective. Carries out a plan that is not empty and was made from these sets as they are.
EVENKEEL_API MoveReport move(const Communicator& communicator, std::span<const Set> sets,
                             std::span<const SetShape> shapes, const Plan& plan,
                             const MoveOptions& options = {});

}  // namespace evenkeel
