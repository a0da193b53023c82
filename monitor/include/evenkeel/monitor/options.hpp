#pragma once

// The options of all facades. They come from code, a file and environment variables EVENKEEL_*;
// each source overrides those before it. The options of rank 0 count for all ranks. All sources
// have the same keys, in snake_case, but in capitals in the environment. An unknown key or a
// negative number is an Error. The number 0 means off, unless the comment of an option says
// otherwise.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/place/method.hpp>
#include <evenkeel/monitor/clock.hpp>
#include <evenkeel/monitor/metrics.hpp>
#include <evenkeel/monitor/trigger.hpp>

#include <array>
#include <optional>

namespace evenkeel {

// The way in which the costs of types and features are learned, if sets have types or features.
enum class TypeCosts : int {
  robust,        // from many looks; costs that the looks do not determine keep their prior
                 // estimates
  minimum_norm,  // only from the last look: the least-squares solution with the least norm
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
  double penalty = 1;  // at least 1; a greater penalty makes shorter shifts; it grows if a shift
                       // fails
  friend bool operator==(const Shift&, const Shift&) = default;
};

// For Options::memory: half of this rank's share of the memory of its node. A node has the memory
// that the system reports, or less if a control group limits it, and its ranks share it equally.
// The other half is left for moves, in which objects are in memory twice.
inline constexpr double system_memory = -1;

// For Options::speeds: all ranks are equally fast until one is found to be slow. Then its speed is
// the measured one, until it has recovered.
inline constexpr double learned_speeds = -1;

// The options of a Balancer. The options of other facades contain them. A Monitor takes all of them
// except those of domains and moves.
struct Options {
  Method method = Hilbert{};
  // The methods among which a file or the environment may choose; set in code only.
  Methods methods = Methods::any;
  Trigger trigger = CostAware{};

  // The box that contains all objects. If it is not given, the box is measured, with a margin, and
  // kept; it grows when objects leave it.
  std::optional<Box> box = std::nullopt;
  // Axes that wrap around in the given box.
  std::array<bool, 3> periodic = {false, false, false};
  // If true, a rebalance and migrate() move positions that have left the box along a periodic axis
  // back into it, even if no object changes its rank or the call fails later. If false, positions
  // do not change; the owner of a position outside of the box is found as if the position were
  // moved back.
  bool wrap = false;
  // The rank of each part, each rank once. Parts are numbered along the curve, or as grids and
  // trees number their boxes. If it is empty, rank p owns part p. There is one exception: in a new
  // cut along a curve, a rank gets the part of which it holds the most objects, if clearly more
  // objects then stay on their ranks.
  std::vector<int> rank_of_part = {};
  // The relative speed of each rank, positive and finite: a rank of speed 2 does the work of a rank
  // of speed 1 in half the time, and gets twice as much. Weights and learned costs are then costs
  // at the mean speed. If it is empty, or if all speeds are equal, all ranks are equally fast. With
  // {learned_speeds}, in a file or the environment `learned`, the options of a balancer have the
  // present speeds. See docs/howto/ranks_that_differ.md.
  std::vector<double> speeds = {};
  // The most bytes that the objects of a rank may take: one number for all ranks or one for each,
  // or system_memory. No cut gives a rank more, unless every cut does, and a rebalance is made
  // before growing objects fill a rank, whether or not it saves time. In a file or the environment,
  // numbers may have a unit: 16GiB. If it is empty, there is no limit. A Monitor, and a
  // GridBalancer without bisection, do not know the bytes of objects: there it is an Error. See
  // docs/howto/memory.md.
  std::vector<double> memory = {};
  // The borders of a grid, and those of bisection, are multiples of cell_size away from the lower
  // face of the box; a box of bisection has at least one cell. Domains that are boxes or hexahedra
  // are at least least_width wide.
  std::array<double, 3> cell_size = {0, 0, 0};
  std::array<double, 3> least_width = {0, 0, 0};

  // A decomposition with at most this lambda, by the weights, is kept, unless cost_aware has found
  // that a more even one pays; 0 is off.
  double target_lambda = 1.05;
  Shift shift = {};  // hilbert, morton and snake only; not in a deterministic run
  // The fewest objects, over all sets, that a rank may have after a rebalance: 1 forbids empty
  // ranks, and 0 forbids nothing. If necessary, domains are cut more evenly than target_lambda
  // demands, and in the end by the number of objects, until every rank has enough.
  int least_objects = 0;
  // `staging_bytes` is the most memory for messages, in each kind of memory. `messages_in_flight`
  // is the most messages in each direction at any time. 0 is no limit.
  std::int64_t staging_bytes = std::int64_t{256} << 20;
  int messages_in_flight = 8;
  bool origins = false;       // if true, reports of moves contain the origin of each object
  double floor_percent = 2;   // if the imbalance is less, only Every and commands act
  double least_coverage = 0;  // share of the time of steps that kernels must cover, 0 to 1
  // The number of steps that the run will take; 0 if unknown.
  std::int64_t horizon = 0;
  double expected_cost = 5;  // of a rebalance, in mean steps; used until a cost is measured
  int epoch_steps = 0;       // between two looks; if it is 0, the trigger chooses 6 to 10
  int warmup_steps = 3;      // at the start, not measured
  int cooldown_steps = 6;    // after a rebalance, in which only Every and commands act
  ClockKind clock = ClockKind::automatic;
  // A clock of your own, which replaces `clock`; set in code only, on each rank.
  OwnClock own_clock = nullptr;
  // To find a rank that is slower than the others, each rank measures now and then how long a fixed
  // piece of work takes on it: in at most this share of its time; 0 is off. The piece is one of
  // evenkeel's on the host, or `own_probe`, which does the same work on each rank and returns its
  // nanoseconds; set in code only, on each rank. With a clock of your own or in a deterministic
  // run, only `own_probe` is used. See docs/howto/ranks_that_differ.md.
  double probe_share = 0.001;
  OwnClock own_probe = nullptr;
  TypeCosts type_costs = TypeCosts::robust;
  bool deterministic = false;   // if true, the load is the sum of the weights, and no clock is used
  bool strict_kernels = false;  // if true, a kernel that some rank does not know is an Error
  // The reaction of a rank to an MPI failure in a call in which other ranks wait; see
  // docs/reliability.md.
  OnMpiError on_mpi_error = OnMpiError::error;
  bool watcher = true;  // if true, a thread decides and writes files; if false, the caller does
  // If a rank waits for other ranks in step, rebalance or finish for this many seconds, it writes
  // this to the log and continues to wait. 0 is off.
  double patience = 60;
  LogLevel log = LogLevel::decisions;
  // A name for log, journal, Errors and commands: one word of at most 64 characters, without ':'.
  // Empty or `none` is no name.
  std::string name = {};
  // Paths of files. An empty path means no file. `none` means the same, except for options_file.
  std::string journal = {};       // gets one JSON line per look
  std::string state = {};         // holds all that is learned: read at the start, written at the
                                  // end
  std::string control = {};       // watched for commands, see docs/monitor.md
  std::string options_file = {};  // holds options; EVENKEEL_OPTIONS_FILE overrides this path

  friend bool operator==(const Options&, const Options&) = default;
};

}  // namespace evenkeel
