#pragma once

// Carrying out a plan, as a transaction.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/config.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/field/set.hpp>
#include <evenkeel/core/migrate/plan.hpp>
#include <evenkeel/core/migrate/report.hpp>
#include <evenkeel/core/weights/phase_loads.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel {

// --- Shapes of sets ------------------------------------------------------------------------------
// Checks that all ranks bring the same sets.

// Fields of a set as all ranks know them.
struct SetShape {
  int dimensions = 0;           // of the position; 0 while no rank knows
  std::vector<int> components;  // of each field
};

// What a rank states of its sets: all fields of all sets in one row.
struct ShapeStatement {
  static constexpr std::size_t most_fields = 128;

  std::int64_t fewest = 0, most = 0;          // fields
  std::int64_t fewest_own = 0, most_own = 0;  // fields of the application: without companions
  std::array<std::uint64_t, most_fields> least_type{}, greatest_type{};
  std::array<int, most_fields> least_components{}, greatest_components{};

  // Adds the statement of another rank.
  EVENKEEL_API static void add(ShapeStatement& into, const ShapeStatement& from) noexcept;
};

// Compares the sets of all ranks by statements, which a vote adds up.
class EVENKEEL_API SetComparison {
 public:
  // Throws when the sets cannot be moved. Local, and takes all memory.
  explicit SetComparison(std::span<const Set> sets);
  const ShapeStatement& mine() const noexcept { return mine_; }
  // Throws the same Error on all ranks when they have different sets: another number or order of
  // fields, other types, other memory. A rank whose View was never given extents learns its
  // components from the others.
  std::vector<SetShape> agreed(const ShapeStatement& all);

 private:
  std::span<const Set> sets_;
  ShapeStatement mine_;
  std::vector<SetShape> shapes_;
};

// Collective. The same with a vote of its own.
EVENKEEL_API std::vector<SetShape> agree_on_sets(const Communicator& communicator,
                                                 std::span<const Set> sets);

// --- Moves ---------------------------------------------------------------------------------------

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

// Local.
EVENKEEL_API MoveMemory memory_of(const Communicator& communicator, std::span<const Set> sets,
                                  std::span<const SetShape> shapes, const Plan& plan,
                                  const MoveOptions& options = {});

// Collective. Carries out a plan that is not empty and was made from these sets as they are.
EVENKEEL_API MoveReport move(const Communicator& communicator, std::span<const Set> sets,
                             std::span<const SetShape> shapes, const Plan& plan,
                             const MoveOptions& options = {});

}  // namespace evenkeel
