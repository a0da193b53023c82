#pragma once

// Small complete programs in virtual time. The costs of its objects advance a rank's clock. Ranks
// never wait for each other. A rebalance that moves objects has a fixed cost: half of it when it
// moves, the other half in the next step, outside of kernels. So the time of a run is known to the
// nanosecond, and runs repeat exactly. The same program without a rebalance shows the savings.

#include "monitor/drive/virtual_clock.hpp"

#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/monitor/balancer.hpp>

namespace evenkeel::test {

// --- Time ----------------------------------------------------------------------------------------

inline std::int64_t nanoseconds_of(double seconds) { return std::llround(seconds * 1e9); }

// --- Worlds --------------------------------------------------------------------------------------

using Place = std::array<double, 3>;

inline constexpr Box room = {{0, 0, 0}, {1, 0.5, 0.5}};

// The fate of objects that leave the domain of their rank.
enum class Going {
  nowhere,  // they stay until a rebalance, or are at rest
  home      // the application sends them to the owner of their place, after each step
};

// Everything follows from the number of an object and from the step.
struct World {
  std::int64_t objects = 0;  // including those not yet born
  int steps = 200;
  std::function<Place(std::int64_t number, int step)> place;
  std::function<double(std::int64_t number, const Place& place, int step)> cost;
  std::function<bool(std::int64_t number, int step)> lives = [](std::int64_t, int) { return true; };
  Going going = Going::nowhere;
};

inline double part_of(std::int64_t number, int salt) {
  std::uint64_t bits = static_cast<std::uint64_t>(number) * 8 + static_cast<std::uint64_t>(salt);
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
  return static_cast<double>((bits ^ (bits >> 31)) >> 11U) * 0x1p-53;
}

inline double around(double x) { return x - std::floor(x); }

// Places in the order of x, with gaps.
inline Place at_rest(std::int64_t number, std::int64_t objects) {
  const double x = (static_cast<double>(number) + 0.25 + 0.5 * part_of(number + 1, 0)) /
                   static_cast<double>(objects);
  return {x, 0.5 * part_of(number + 1, 1), 0.5 * part_of(number + 1, 2)};
}

inline World world_at_rest(std::int64_t objects, double (*cost)(const Place&, int step)) {
  World world;
  world.objects = objects;
  world.place = [objects](std::int64_t number, int) { return at_rest(number, objects); };
  world.cost = [cost](std::int64_t, const Place& place, int step) { return cost(place, step); };
  return world;
}

// --- Programs ------------------------------------------------------------------------------------

// A second kernel. It works in every 20th step and after each move, for as long as 6 steps. In rare
// cases both coincide. Then it would also have worked without the move, but evenkeel cannot know
// this.
enum class Lists { none, declared, undeclared };
inline constexpr int lists_every = 20;
inline constexpr int first_lists = 13;
inline constexpr double lists_cost = 6;

struct Program {
  World world;
  Options options = {};
  double cost = 5;  // of a rebalance, in seconds, or about as many steps
  Lists lists = Lists::none;
  bool gives_weights = false;
  bool weighs_ahead = false;  // weights are those of the next step
  std::function<StepOptions(int step)> how = [](int) { return StepOptions(); };
  std::optional<Domains> own = {};  // the domains of the program, if it has its own

  // The price includes the work that kernels repeat after a move.
  double price() const { return cost + (lists == Lists::none ? 0 : lists_cost); }
};

// The objects of a rank.
struct Cloud {
  std::vector<Place> place;
  std::vector<std::int64_t> number;
  std::vector<double> weight;

  void clear() {
    place.clear();
    number.clear();
    weight.clear();
  }
};

// The program's own record, in nanoseconds. It is the same on all ranks.
struct Record {
  Account account;
  std::int64_t slowest = 0;         // of the slowest rank of each step
  std::vector<std::int64_t> steps;  // of the slowest rank, by step
  std::int64_t all = 0;             // of all ranks
  std::int64_t spent = 0;           // on rebalances
  std::vector<int> moves;           // the steps before each
  std::int64_t total() const { return slowest + spent; }
};

// Observes a run after each step's work, before the balancer is called.
using Watch = std::function<void(const Balancer& balancer, const Cloud& cloud, int step)>;

class Run {
 public:
  Run(const Communicator& ranks, const Program& program)
      : ranks_(ranks),
        program_(program),
        world_(program_.world),
        balancer_(ranks, options_of(program)),
        force_(balancer_.kernel("force")) {
    if (program_.lists != Lists::none)
      lists_ =
          balancer_.kernel("lists", {.every = program_.lists == Lists::declared ? lists_every : 0});
    scale_ = scale();
    begin();
  }

  // Collective.
  Record run(const Watch& watch = {}) {
    for (int step = 0; step < world_.steps; ++step) {
      virtual_time += nanoseconds_of(elsewhere) + std::exchange(owed_, 0);
      if (step > 0) go_on(step);
      work(step);
      if (watch) watch(balancer_, cloud_, step);
      if (program_.weighs_ahead) weigh(step + 1);
      const MoveReport report = call(step);
      moved_ = report.moved;
      if (moved_) record_.moves.push_back(step + 1);
    }
    return finished();
  }

 private:
  static constexpr double elsewhere = 0.01;  // seconds in each step, outside of kernels

  static Options options_of(const Program& program) {
    virtual_time = 1;
    Options options = program.options;
    options.own_clock = &virtual_now;
    options.watcher = false;
    options.log = LogLevel::off;
    if (!options.box) options.box = room;
    return options;
  }

  // Scales the costs so that the mean rank works for a second in the first step.
  double scale() const {
    double sum = 0;
    for (std::int64_t i = 0; i < world_.objects; ++i)
      if (world_.lives(i, 0)) sum += world_.cost(i, world_.place(i, 0), 0);
    return sum > 0 ? ranks_.size() / sum : 1;
  }

  // Gives each rank an equal number of objects.
  void begin() {
    for (std::int64_t i = 0; i < world_.objects; ++i)
      if (i % ranks_.size() == ranks_.rank() && world_.lives(i, 0)) add(i, 0);
    if (program_.own) {
      balancer_.adopt(*program_.own);
      static_cast<void>(balancer_.migrate(cloud_.place, carry(cloud_.number, cloud_.weight)));
    } else {
      static_cast<void>(balancer_.rebalance(cloud_.place, carry(cloud_.number, cloud_.weight)));
    }
    const std::int64_t half = nanoseconds_of(program_.cost / 2);
    balancer_.before_move([this, half] {
      virtual_time += half;
      owed_ = half;
    });
  }

  void add(std::int64_t number, int step) {
    cloud_.place.push_back(world_.place(number, step));
    cloud_.number.push_back(number);
    cloud_.weight.push_back(0);
  }

  bool is_here(const Place& place) const {
    return owner_of(balancer_.domains(), place) == ranks_.rank();
  }

  // Objects die, are born on the owner of their place, and move.
  void go_on(int step) {
    std::vector<std::int64_t> numbers;
    if (world_.going == Going::home) {
      for (std::int64_t i = 0; i < world_.objects; ++i)
        if (world_.lives(i, step) && is_here(world_.place(i, step))) numbers.push_back(i);
    } else {
      for (const std::int64_t number : cloud_.number)
        if (world_.lives(number, step)) numbers.push_back(number);
      for (std::int64_t i = 0; i < world_.objects; ++i)
        if (world_.lives(i, step) && !world_.lives(i, step - 1) && is_here(world_.place(i, step)))
          numbers.push_back(i);
    }
    cloud_.clear();
    for (const std::int64_t number : numbers) add(number, step);
  }

  void work(int step) {
    weigh(step);
    const double load = std::accumulate(cloud_.weight.begin(), cloud_.weight.end(), 0.0);
    std::int64_t took = compute(force_, load);
    if (lists_ && (moved_ || step % lists_every == first_lists))
      took += compute(*lists_, lists_cost * load);
    if (program_.options.deterministic) took = nanoseconds_of(1e-3 * load);
    took_.push_back(took);
  }

  void weigh(int step) {
    for (std::size_t i = 0; i < cloud_.number.size(); ++i)
      cloud_.weight[i] = scale_ * world_.cost(cloud_.number[i], cloud_.place[i], step);
  }

  std::int64_t compute(const Kernel& kernel, double seconds) {
    const std::int64_t took = nanoseconds_of(seconds);
    spend(kernel, took);
    return took;
  }

  MoveReport call(int step) {
    const SetOptions weighted = {.weight = cloud_.weight};
    return balancer_.step(cloud_.place, carry(cloud_.number, cloud_.weight),
                          program_.gives_weights ? weighted : SetOptions(), program_.how(step));
  }

  Record finished() {
    record_.spent = nanoseconds_of(program_.cost) * std::ssize(record_.moves) - owed_;
    if (program_.options.deterministic) record_.spent = 0;
    record_.all = ranks_.all_reduce(std::accumulate(took_.begin(), took_.end(), std::int64_t{0}),
                                    Reduction::sum);
    ranks_.all_reduce(std::span(took_), Reduction::greatest);
    record_.slowest = std::accumulate(took_.begin(), took_.end(), std::int64_t{0});
    record_.steps = took_;
    balancer_.finish();
    record_.account = balancer_.account();
    return record_;
  }

  const Communicator& ranks_;
  Program program_;
  const World& world_;
  Balancer balancer_;
  Kernel force_;
  std::optional<Kernel> lists_;
  double scale_ = 1;
  Cloud cloud_;
  Record record_;
  std::int64_t owed_ = 0;
  bool moved_ = false;
  std::vector<std::int64_t> took_;
};

// Collective.
inline Record run_program(const Communicator& ranks, const Program& program,
                          const Watch& watch = {}) {
  return Run(ranks, program).run(watch);
}

inline Record run_with(const Communicator& ranks, Program program, const Trigger& trigger) {
  program.options.trigger = trigger;
  return run_program(ranks, program);
}

}  // namespace evenkeel::test
