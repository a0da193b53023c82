#pragma once

// What a user can choose. Of three sources, a later one overrides an earlier one: code, a file,
// environment variables EVENKEEL_*. Rank 0's choice counts for all ranks. All sources have the same
// keys, in snake_case; the environment has them in capitals. An unknown key or a negative number is
// an Error; 0 means off.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/place/method.hpp>
#include <evenkeel/monitor/clock.hpp>
#include <evenkeel/monitor/metrics.hpp>
#include <evenkeel/monitor/trigger.hpp>

#include <array>
#include <optional>

namespace evenkeel {

// How costs of types and features are learned, where sets say what their objects are.
enum class TypeCosts : int {
  robust,        // from many looks, with what is unsure left as it was thought
  minimum_norm,  // least squares with the least norm, from the last look alone
  off            // objects cost what is measured, whatever their types
};

// Methods that an application can live with.
enum class Methods : int {
  any,
  curves,  // hilbert, morton, snake
  boxes,   // staggered, tensor, bisection
  grids    // staggered, tensor
};

// Between new cuts, domains that are ranges of a curve can be shifted by the load that was measured
// (docs/refining.md): for costs that vary from place to place and that no weight tells.
struct Shift {
  int rounds = 0;      // shifts after each new cut, at most; 0: off
  double penalty = 1;  // at least 1: how carefully; it grows where a shift goes too far
  friend bool operator==(const Shift&, const Shift&) = default;
};

struct Options {
  Method method = Hilbert{};
  // What a file or the environment may choose instead; given in code only.
  Methods methods = Methods::any;
  Trigger trigger = CostAware{};

  // Where objects can be. Not given: measured, with a margin, kept, and grown when objects leave
  // it.
  std::optional<Box> box = std::nullopt;
  // Axes that wrap around in the given box.
  std::array<bool, 3> periodic = {false, false, false};
  // Whether a rebalance and migrate() bring positions that have left a periodic axis back into the
  // box, also where nothing moves or the call then fails. Without it, ownership alone wraps around.
  bool wrap = false;
  // The rank of each part, along the curve or as grids and trees number their boxes; each rank
  // once. Empty: part p is rank p; but of the ranges of a curve, each rank gets the one of which it
  // holds most, where that saves a move.
  std::vector<int> rank_of_part = {};
  // Borders of a grid lie at multiples of cell_size; domains that are boxes are at least
  // least_width wide.
  std::array<double, 3> cell_size = {0, 0, 0};
  std::array<double, 3> least_width = {0, 0, 0};

  double target_lambda = 1.05;  // a decomposition that is this even by its weights is kept; 0: off
  Shift shift = {};             // hilbert, morton and snake only; not in a deterministic run
  // The fewest objects, over all sets, that a rebalance may leave a rank with; 1 forbids empty
  // ranks, 0 forbids nothing. If need be, domains are cut more evenly than the target asks for, and
  // finally by counts, until every rank has enough.
  int least_objects = 0;
  // The most memory for messages, in each kind of memory, and the most messages each way at any
  // time; 0: no limit.
  std::int64_t staging_bytes = std::int64_t{256} << 20;
  int messages_in_flight = 8;
  bool origins = false;       // reports of moves tell where each object came from
  double floor_percent = 2;   // imbalance below which nothing happens
  double least_coverage = 0;  // share of the steps that kernels must cover, from 0 to 1
  // Steps that the run will take; 0: unknown.
  std::int64_t horizon = 0;
  double expected_cost = 5;  // of a rebalance, in mean steps, until one has been measured
  int epoch_steps = 0;       // between two looks; 0: from 6 to 10, as the trigger asks for
  int warmup_steps = 3;      // at the start, not measured
  int cooldown_steps = 6;    // after a rebalance, without another
  ClockKind clock = ClockKind::automatic;
  // A clock of your own, in nanoseconds, used instead; given in code only, by each rank for itself.
  Clock::Now own_clock = nullptr;
  TypeCosts type_costs = TypeCosts::robust;
  bool deterministic = false;   // no clock in any decision: the load is the sum of the weights
  bool strict_kernels = false;  // a kernel that is unknown on some rank is an Error
  // What a rank does when MPI fails it in a call that others wait in; docs/reliability.md.
  OnMpiError on_mpi_error = OnMpiError::error;
  bool watcher = true;  // a thread decides and writes; off: the calling thread does
  // Seconds after which a rank that waits for others in step, rebalance or finish says so in the
  // log; it goes on waiting. 0: off.
  double patience = 60;
  LogLevel log = LogLevel::decisions;
  // In log, journal and Errors, and for commands: one word without ':'; empty or "none": none.
  std::string name = {};
  // Files; empty or "none": none.
  std::string journal = {};       // for one JSON line per look
  std::string state = {};         // what has been learned: read at the start, written at the end
  std::string control = {};       // watched for commands, see docs/monitor.md
  std::string options_file = {};  // to read options from: in code, or EVENKEEL_OPTIONS_FILE

  friend bool operator==(const Options&, const Options&) = default;
};

}  // namespace evenkeel
