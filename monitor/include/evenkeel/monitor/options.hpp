#pragma once

// The options of all facades. They come from code, a file and environment variables EVENKEEL_*;
// each source overrides those before it. Rank 0's choice counts for all ranks. All sources have the
// same keys, in snake_case; the environment has them in capitals. An unknown key or a negative
// number is an Error; 0 means off, unless the option says otherwise.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/place/method.hpp>
#include <evenkeel/monitor/clock.hpp>
#include <evenkeel/monitor/metrics.hpp>
#include <evenkeel/monitor/trigger.hpp>

#include <array>
#include <optional>

namespace evenkeel {

// How costs of types and features are learned, if sets declare them for their objects.
enum class TypeCosts : int {
  robust,        // from many looks; costs that these do not determine keep their prior estimates
  minimum_norm,  // from the last look only, by least squares with the least norm
  off            // types and features are ignored
};

// The methods that an application can work with.
enum class Methods : int {
  any,
  curves,  // hilbert, morton, snake
  boxes,   // staggered, tensor, bisection
  grids    // staggered, tensor
};

// Between new cuts, domains that are ranges of a curve can be shifted by the measured load
// (docs/refining.md). This serves costs that vary in space and that no weight contains.
struct Shift {
  int rounds = 0;      // the most shifts after each new cut; 0 is off
  double penalty = 1;  // at least 1; the greater, the more careful; it grows if a shift fails
  friend bool operator==(const Shift&, const Shift&) = default;
};

// The options of a Balancer or a Monitor. The options of other facades contain them.
struct Options {
  Method method = Hilbert{};
  // The methods among which a file or the environment may choose; set in code only.
  Methods methods = Methods::any;
  Trigger trigger = CostAware{};

  // The box that contains all objects. If it is not given, it is measured with a margin and kept,
  // and it grows when objects leave it.
  std::optional<Box> box = std::nullopt;
  // Axes that wrap around in the given box.
  std::array<bool, 3> periodic = {false, false, false};
  // If true, a rebalance and migrate() bring positions that have left the box along a periodic axis
  // back into it, even if nothing moves or the call then fails. If false, only ownership wraps
  // around.
  bool wrap = false;
  // The rank of each part, each rank once. Parts are numbered along the curve, or as grids and
  // trees number their boxes. If it is empty, rank p owns part p; but among the ranges of a new cut
  // of a curve, each rank gets the one of which it holds most, if that saves a move.
  std::vector<int> rank_of_part = {};
  // Borders of a grid are at multiples of cell_size; domains that are boxes are at least
  // least_width wide.
  std::array<double, 3> cell_size = {0, 0, 0};
  std::array<double, 3> least_width = {0, 0, 0};

  double target_lambda = 1.05;  // a decomposition this even by its weights is kept; 0 is off
  Shift shift = {};             // hilbert, morton and snake only; not in a deterministic run
  // The fewest objects, over all sets, that a rebalance may leave on a rank; 1 forbids empty ranks,
  // 0 forbids nothing. If necessary, domains are cut more evenly than the target demands, and
  // finally by counts, until every rank has enough.
  int least_objects = 0;
  // The most memory for messages, in each kind of memory, and the most messages in each direction
  // at any time; 0 is no limit.
  std::int64_t staging_bytes = std::int64_t{256} << 20;
  int messages_in_flight = 8;
  bool origins = false;       // reports of moves say where each object came from
  double floor_percent = 2;   // imbalance below which nothing happens
  double least_coverage = 0;  // share of the steps that kernels must cover, from 0 to 1
  // The number of steps that the run will take; 0 if unknown.
  std::int64_t horizon = 0;
  double expected_cost = 5;  // of a rebalance, in mean steps, until one has been measured
  int epoch_steps = 0;       // between two looks; with 0, the trigger chooses 6 to 10
  int warmup_steps = 3;      // at the start, not measured
  int cooldown_steps = 6;    // after a rebalance, without another
  ClockKind clock = ClockKind::automatic;
  // A clock of your own, in nanoseconds, which replaces `clock`; set in code only, on each rank.
  std::int64_t (*own_clock)() noexcept = nullptr;
  TypeCosts type_costs = TypeCosts::robust;
  bool deterministic = false;   // no clock in any decision: the load is the sum of the weights
  bool strict_kernels = false;  // a kernel that is unknown on some rank is an Error
  // The reaction of a rank to an MPI failure in a call in which other ranks wait; see
  // docs/reliability.md.
  OnMpiError on_mpi_error = OnMpiError::error;
  bool watcher = true;  // decisions and files in a thread; if false, in the calling thread
  // A rank that waits for others in step, rebalance or finish for this many seconds says so in the
  // log, and continues to wait. 0 is off.
  double patience = 60;
  LogLevel log = LogLevel::decisions;
  // A name for log, journal, Errors and commands: one word of at most 64 characters, without ':'.
  // Empty or `none` is no name.
  std::string name = {};
  // Paths of files. Empty is no file, and so is `none`, except for options_file.
  std::string journal = {};       // for one JSON line per look
  std::string state = {};         // for all that is learned: read at the start, written at the end
  std::string control = {};       // watched for commands, see docs/monitor.md
  std::string options_file = {};  // of options; EVENKEEL_OPTIONS_FILE overrides it

  friend bool operator==(const Options&, const Options&) = default;
};

}  // namespace evenkeel
