#pragma once

// Carries out a plan, as a transaction.

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

namespace evenkeel::stages {

// --- Shapes of sets ------------------------------------------------------------------------------
// Checks that all ranks bring the same sets.

// The shape of a set that all ranks agree on.
struct SetShape {
  int dimensions = 0;           // of the position; 0 if no rank knows them
  std::vector<int> components;  // of each field
};

// The statement of a rank about its sets: it lists all fields and payloads of all sets.
struct ShapeStatement {
  static constexpr std::size_t most_fields = 128;

  std::int64_t fewest = 0, most = 0;          // fields and payloads
  std::int64_t fewest_own = 0, most_own = 0;  // the same numbers without companions
  std::array<std::uint64_t, most_fields> least_type{}, greatest_type{};
  std::array<int, most_fields> least_components{}, greatest_components{};

  // Combines the statement of another rank with `into`.
  EVENKEEL_API static void add(ShapeStatement& into, const ShapeStatement& from) noexcept;
};

// Compares the sets of all ranks by their statements, which a vote combines.
class EVENKEEL_API SetComparison {
 public:
  // Throws if the sets cannot be moved. Local. Allocates all memory that agreed() needs.
  explicit SetComparison(std::span<const Set> sets);
  const ShapeStatement& mine() const noexcept { return mine_; }
  // Local. Returns the shapes; call it once. Throws the same Error on all ranks if their sets
  // differ in the number or order of fields, in types or in memory. A rank whose View was never
  // given extents gets the number of its components from the other ranks.
  std::vector<SetShape> agreed(const ShapeStatement& all);

 private:
  std::span<const Set> sets_;
  ShapeStatement mine_;
  std::vector<SetShape> shapes_;
};

// Collective. Makes the comparison, with a vote of its own.
EVENKEEL_API std::vector<SetShape> agree_on_sets(const Communicator& communicator,
                                                 std::span<const Set> sets);

// --- Moves ---------------------------------------------------------------------------------------

// The local parts of a transaction, in order.
enum class MoveStage : int {
  reserve,  // allocates all memory
  pack,     // packs objects into messages
  unpack    // unpacks objects from messages
};
// The name in messages.
EVENKEEL_API const char* name_of(MoveStage stage) noexcept;

// The options of a move. They may differ between ranks unless they are marked as the same.
struct MoveOptions {
  // Called on every rank. The call for `reserve` comes before the move allocates memory. The calls
  // for `pack` and `unpack` both come before the exchange, because packing and unpacking alternate
  // in the exchange. If a call throws, this rank fails, and the move is undone on all ranks.
  std::function<void(MoveStage)> on_stage = {};
  // `staging_bytes` limits the memory for messages in each kind of memory. `messages_in_flight`
  // limits the number of messages in flight in each direction. A 0 means that there is no limit.
  // Both are the same on all ranks.
  std::int64_t staging_bytes = std::int64_t{256} << 20;
  int messages_in_flight = 8;
  // If it is set, the report contains the origin of each object. The same on all ranks.
  bool origins = false;
  // The seconds of the stages before the move, on this rank; the report includes them.
  std::vector<std::pair<std::string, double>> seconds_before = {};
};

// Local. Returns the memory that this rank will need to carry out the plan.
EVENKEEL_API MoveReport::Memory memory_of(const Communicator& communicator,
                                          std::span<const Set> sets,
                                          std::span<const SetShape> shapes, const Plan& plan,
                                          const MoveOptions& options = {});

// Collective. Carries out a plan that is not empty and was made from these sets in their present
// state.
EVENKEEL_API MoveReport move(const Communicator& communicator, std::span<const Set> sets,
                             std::span<const SetShape> shapes, const Plan& plan,
                             const MoveOptions& options = {});

}  // namespace evenkeel::stages
