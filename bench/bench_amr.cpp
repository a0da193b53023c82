// Compares evenkeel with recursive coordinate bisection in codes with block AMR that move their
// blocks themselves. Spheres move through a mesh that is refined at their surfaces every 5 steps;
// blocks may move only then. Runs are in virtual time, so that they repeat exactly.
//
//   mpirun -n 2 bench_amr [--quick] [--apart] [--scenes a,b] [--seeds COUNT] [--noise PERCENT]
//
// The scenes of --apart were set apart: choose constants on the others only.
//
// All programs begin with their own distribution at no cost. In each step a rank works on its
// blocks in a kernel and waits for the others. A refinement and a rebalance take time outside of
// kernels, and ranks wait for each other after both. The rivals are `never`, and bisections at
// every refinement by the number of blocks and by their true costs. evenkeel has the default
// options (EVENKEEL_TRIGGER and so on change them), and estimates the costs of blocks or gets
// weights. "T / best" is T divided by the T of the best rival; "reported" figures are those of
// the library's account.

#include "amr_world.hpp"
#include "arguments.hpp"
#include "runtime.hpp"
#include "whole_program.hpp"

namespace evenkeel::bench {
namespace {

constexpr int steps = 300, refined_every = 5;
constexpr std::int64_t block_bytes = 263000;
constexpr double block_seconds = 1e-3;  // of a step of a block with cost 1
constexpr double bandwidth = 1e9;       // of a rank, bytes per second; it sends, then receives
constexpr double latency = 2e-3;        // of a rebalance that moves blocks
constexpr double check_seconds = 1e-4;  // of a refinement, for each block
constexpr double birth_seconds = 5e-4;  // of a refinement, for each new block

struct Command {
  Words scenes;  // all if it is empty
  bool apart = false;
  int seeds = 2;
  double noise = 0.02;  // standard deviation of the factor of a rank's load in each step
};

enum class Kind : std::uint8_t { never, bisection, evenkeel };
enum class Known : std::uint8_t { nothing, counts, costs };
struct Way {
  const char* name;
  Kind kind;
  Known known;
};
// The rivals come first.
constexpr std::array<Way, 6> ways = {{{"never", Kind::never, Known::counts},
                                      {"bisection, counts", Kind::bisection, Known::counts},
                                      {"bisection, costs", Kind::bisection, Known::costs},
                                      {"evenkeel, estimated", Kind::evenkeel, Known::nothing},
                                      {"evenkeel, counts", Kind::evenkeel, Known::counts},
                                      {"evenkeel, costs", Kind::evenkeel, Known::costs}}};
constexpr std::size_t rivals = 3;

double weight_of(const Block& block, Known known) { return known == Known::costs ? block.cost : 1; }

// --- Bisection -----------------------------------------------------------------------------------

// Gives `blocks` to ranks from `rank` on: cuts at the weighted median along the axes in turn.
void bisect(const Mesh& mesh, std::span<std::size_t> blocks, Known known, int rank, int ranks,
            std::size_t axis, std::vector<int>& owners) {
  if (ranks == 1) {
    for (const std::size_t block : blocks) owners[block] = rank;
    return;
  }
  std::ranges::sort(blocks, {}, [&](std::size_t b) {
    const Point& p = mesh[b].centre;
    return Point{p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]};
  });
  double all = 0, before = 0;
  for (const std::size_t block : blocks) all += weight_of(mesh[block], known);
  const int half = ranks / 2;
  const double goal = all * half / ranks;
  std::size_t cut = 0;
  for (; cut < blocks.size(); ++cut) {
    const double weight = weight_of(mesh[blocks[cut]], known);
    if (before + weight / 2 > goal) break;
    before += weight;
  }
  const std::size_t next = (axis + 1) % 3;
  bisect(mesh, blocks.first(cut), known, rank, half, next, owners);
  bisect(mesh, blocks.subspan(cut), known, rank + half, ranks - half, next, owners);
}

std::vector<int> bisected(const Mesh& mesh, Known known, int ranks) {
  std::vector<std::size_t> blocks(mesh.size());
  std::iota(blocks.begin(), blocks.end(), std::size_t{0});
  std::vector<int> owners(mesh.size());
  bisect(mesh, blocks, known, 0, ranks, 0, owners);
  return owners;
}

// --- evenkeel ------------------------------------------------------------------------------------

// Evenkeel as such a code uses it: it moves one small entry for each block.
class Ours {
 public:
  Ours(const Communicator& ranks, Known known, const std::int64_t& clock)
      : rank_(ranks.rank()), known_(known), balancer_(ranks, options(clock)) {}

  Kernel kernel() { return balancer_.kernel("blocks"); }

  // These are collective, take the present owner of each block, and return the new ones.
  std::vector<int> first(const Mesh& mesh, const std::vector<int>& present) {
    list(mesh, present);
    return owners(mesh, present, balancer_.rebalance(blocks()));
  }
  std::vector<int> step(const Mesh& mesh, const std::vector<int>& present, bool refines) {
    list(mesh, present);
    return owners(mesh, present,
                  balancer_.step(blocks(), {.may_move = refines, .changed = refines}));
  }
  // Call this after blocks have moved.
  void note_cost(double seconds) { balancer_.note_cost(seconds); }
  Account finish() {
    balancer_.finish();
    return balancer_.account();
  }

 private:
  static Options options(const std::int64_t& clock) {
    Options options;
    options.own_clock = [&clock] { return clock; };
    options.watcher = false;
    options.log = LogLevel::off;
    return options;
  }
  Set blocks() {
    SetOptions options;
    options.key = number_;
    options.bytes_per_object = block_bytes;
    if (known_ != Known::nothing) options.weight = weight_;
    return set(centre_, carry(number_, weight_), options);
  }
  void list(const Mesh& mesh, const std::vector<int>& present) {
    centre_.clear();
    number_.clear();
    weight_.clear();
    for (std::size_t b = 0; b < mesh.size(); ++b) {
      if (present[b] != rank_) continue;
      centre_.push_back(mesh[b].centre);
      number_.push_back(mesh[b].number());
      weight_.push_back(weight_of(mesh[b], known_));
    }
  }
  std::vector<int> owners(const Mesh& mesh, std::vector<int> owners, const MoveReport& moved) {
    if (!moved) return owners;
    for (std::size_t b = 0; b < mesh.size(); ++b)
      owners[b] = owner_of(balancer_.domains(), mesh[b].centre);
    if (std::ranges::count(owners, rank_) != std::ssize(number_))
      throw std::logic_error("the domains and the entries disagree");
    return owners;
  }

  int rank_;
  Known known_;
  Balancer balancer_;
  std::vector<Point> centre_;
  std::vector<std::int64_t> number_;
  std::vector<double> weight_;
};

// --- Runs ----------------------------------------------------------------------------------------

// Times are in virtual seconds.
struct Result {
  double total = 0;
  double slowest = 0, mean = 0;  // work of the slowest and of the average rank of each step
  double never = 0;              // work of the slowest rank of each step if no block had ever moved
  int rebalances = 0;
  double bytes = 0, moving = 0;    // moved, and the seconds for it
  std::optional<Account> account;  // evenkeel's own
  double lambda() const { return slowest / mean; }
  double saved() const { return never - slowest - moving; }
};

// One number for each rank.
using PerRank = std::vector<double>;
double& of(PerRank& all, int rank) { return all[static_cast<std::size_t>(rank)]; }

// The seconds of work of each rank in a step.
PerRank loads_of(const Mesh& mesh, const std::vector<int>& owners, const Program& noise, int step,
                 int ranks) {
  PerRank loads(static_cast<std::size_t>(ranks));
  for (std::size_t b = 0; b < mesh.size(); ++b)
    of(loads, owners[b]) += block_seconds * mesh[b].cost;
  for (int rank = 0; rank < ranks; ++rank) of(loads, rank) *= noise_of(noise, rank, step);
  return loads;
}

// The seconds of a rebalance: ranks wait for the one that sends and receives most.
double seconds_of_move(const std::vector<int>& from, const std::vector<int>& to, int ranks,
                       Result& result) {
  constexpr auto moved = static_cast<double>(block_bytes);
  PerRank bytes(static_cast<std::size_t>(ranks));
  double sum = 0;
  for (std::size_t b = 0; b < from.size(); ++b) {
    if (from[b] == to[b]) continue;
    of(bytes, from[b]) += moved;
    of(bytes, to[b]) += moved;
    sum += moved;
  }
  if (sum == 0) return 0;
  ++result.rebalances;
  result.bytes += sum;
  const double seconds = latency + std::ranges::max(bytes) / bandwidth;
  result.moving += seconds;
  return seconds;
}

// The seconds of a refinement on the rank for which it takes longest.
double seconds_of_refinement(const Mesh& old, const Mesh& fresh, const std::vector<int>& owners,
                             int ranks) {
  PerRank seconds(static_cast<std::size_t>(ranks));
  std::size_t was = 0;
  for (std::size_t b = 0; b < fresh.size(); ++b) {
    while (was + 1 < old.size() && old[was].first < fresh[b].first) ++was;
    const bool is_new = old[was].number() != fresh[b].number();
    of(seconds, owners[b]) += check_seconds + (is_new ? birth_seconds : 0);
  }
  return std::ranges::max(seconds);
}

// Collective. Each rank knows the whole mesh and all owners, and so the loads of all ranks.
Result run_way(const Communicator& ranks, const std::vector<Mesh>& meshes, const Way& way,
               const Program& noise) {
  std::int64_t clock = 1;
  const auto pass = [&clock](double seconds) { clock += std::llround(seconds * 1e9); };
  std::optional<Ours> ours;
  std::vector<int> owners = bisected(meshes.front(), way.known, ranks.size());
  if (way.kind == Kind::evenkeel) {
    ours.emplace(ranks, way.known, clock);
    std::vector<int> first = ours->first(meshes.front(), owners);
    Result uncounted;
    if (const double moving = seconds_of_move(owners, first, ranks.size(), uncounted); moving > 0)
      ours->note_cost(moving);
    owners = std::move(first);
  }
  std::vector<int> unmoved = owners;
  Result result;
  const std::int64_t begin = clock;
  for (int step = 0; step < steps; ++step) {
    const Mesh* mesh = &meshes[static_cast<std::size_t>(step / refined_every)];
    const PerRank loads = loads_of(*mesh, owners, noise, step, ranks.size());
    const double mine = loads[static_cast<std::size_t>(ranks.rank())],
                 slowest = std::ranges::max(loads);
    result.slowest += slowest;
    result.never += std::ranges::max(loads_of(*mesh, unmoved, noise, step, ranks.size()));
    result.mean += std::accumulate(loads.begin(), loads.end(), 0.0) / ranks.size();
    {
      const Timer timing = ours ? ours->kernel().time() : Timer();
      pass(mine);
    }
    pass(slowest - mine);  // waits

    const bool refines = (step + 1) % refined_every == 0;
    if (refines) {
      const Mesh& fresh = meshes[static_cast<std::size_t>((step + 1) / refined_every)];
      owners = inherited(*mesh, owners, fresh);
      unmoved = inherited(*mesh, unmoved, fresh);
      pass(seconds_of_refinement(*mesh, fresh, owners, ranks.size()));
      mesh = &fresh;
    }
    std::vector<int> next = owners;
    if (ours)
      next = ours->step(*mesh, owners, refines);
    else if (refines && way.kind == Kind::bisection)
      next = bisected(*mesh, way.known, ranks.size());
    const double moving = seconds_of_move(owners, next, ranks.size(), result);
    pass(moving);
    if (ours && moving > 0) ours->note_cost(moving);
    owners = std::move(next);
  }
  if (ours) result.account = ours->finish();
  result.total = static_cast<double>(clock - begin) / 1e9;
  return result;
}

// --- The tables ----------------------------------------------------------------------------------

// The results of a way in all cases.
struct Summary {
  double ratios = 0, worst_ratio = 0, lambdas = 0, worst_lambda = 0;
  int cases = 0, as_good = 0, even = 0;
  double reported_costs =
      0;  // evenkeel's figure for the cost of rebalances / the true one, summed up
  int known = 0, in_bar = 0, wrong_sign = 0;  // accounts of what was saved

  void add(const Result& result, double best) {
    const double ratio = result.total / best, lambda = result.lambda();
    ++cases;
    ratios += ratio;
    lambdas += lambda;
    worst_ratio = std::max(worst_ratio, ratio);
    worst_lambda = std::max(worst_lambda, lambda);
    if (ratio <= 1) ++as_good;
    if (lambda <= 1.12) ++even;
    if (!result.account) return;
    const Account& account = *result.account;
    reported_costs += account.spent() / result.moving;
    if (!account.knows_never) return;
    ++known;
    if (std::abs(account.saved() - result.saved()) <= account.uncertainty) ++in_bar;
    if (account.saved() * result.saved() < 0) ++wrong_sign;
  }
};

void print(const std::array<Summary, ways.size()>& summaries) {
  std::printf(
      "\n| way | cases | T / best: mean, worst | at most 1 in | lambda: mean, worst | at most 1.12 "
      "in "
      "| cost of moves, reported / true | saved: known in | in the error bar | wrong sign |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n");
  for (std::size_t w = 0; w < ways.size(); ++w) {
    const Summary& of = summaries[w];
    const double cases = of.cases;
    std::printf("| %s | %d | %.3f, %.3f | %d | %.3f, %.3f | %d ", ways[w].name, of.cases,
                of.ratios / cases, of.worst_ratio, of.as_good, of.lambdas / cases, of.worst_lambda,
                of.even);
    if (w < rivals)
      std::printf("| - | - | - | - |\n");
    else
      std::printf("| %.2f | %d | %d | %d |\n", of.reported_costs / cases, of.known, of.in_bar,
                  of.wrong_sign);
  }
}

// Collective. Runs a scene in all ways.
void compare(const Communicator& ranks, const Scene& scene, bool even, int seed, double noise,
             std::array<Summary, ways.size()>& summaries) {
  Program program;  // for its noise
  program.seed = static_cast<std::uint64_t>(seed);
  program.noise = noise;
  const AmrWorld world(scene, program.seed, ranks.size(), even);
  std::vector<Mesh> meshes;
  for (int step = 0; step <= steps; step += refined_every) meshes.push_back(world.mesh(step));
  std::array<Result, ways.size()> results;
  for (std::size_t w = 0; w < ways.size(); ++w)
    results[w] = run_way(ranks, meshes, ways[w], program);
  const double best = std::ranges::min(std::span(results).first(rivals), {}, &Result::total).total;
  for (std::size_t w = 0; w < ways.size(); ++w) {
    const Result& result = results[w];
    summaries[w].add(result, best);
    if (ranks.rank() != 0) continue;
    std::printf("| %s | %s | %d | %zu | %s | %.1f | %.3f | %d | %.2f | %.3f ", scene.name.c_str(),
                even ? "even" : "uneven", seed, meshes.front().size(), ways[w].name, result.total,
                result.lambda(), result.rebalances, result.bytes / 1e9, result.total / best);
    if (const auto& account = result.account)
      std::printf("| %.2f / %.2f | %.1f (+- %.1f) / %.1f |\n", account->spent(), result.moving,
                  account->saved(), account->uncertainty, result.saved());
    else
      std::printf("| - / %.2f | - / %.1f |\n", result.moving, result.saved());
  }
  std::fflush(stdout);
}

// Collective.
void sweep(const Communicator& ranks, const Command& command) {
  if (ranks.rank() == 0)
    std::printf(
        "%d ranks\n\n| scene | costs | seed | blocks | way | T, s | lambda | rebalances | GB moved "
        "| T / best | cost of moves, s: reported / true | saved, s: reported / true |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        ranks.size());
  std::array<Summary, ways.size()> summaries;
  for (const Scene& scene : scenes()) {
    const bool is_named = std::ranges::count(command.scenes, scene.name) > 0;
    if (command.scenes.empty() ? scene.apart != command.apart : !is_named) continue;
    for (const bool even : {true, false})
      for (int seed = 1; seed <= command.seeds; ++seed)
        compare(ranks, scene, even, seed, command.noise, summaries);
  }
  if (ranks.rank() == 0) print(summaries);
}

// Applies --quick first; other options override its choices.
bool read(Command& command, Words arguments) {
  if (std::erase(arguments, "--quick") > 0) command.seeds = 1;
  const auto is_scene = [all = scenes()](const std::string& name) {
    return std::ranges::count(all, name, &Scene::name) > 0;
  };
  return take_all({{"--apart", &command.apart}},
                  {{"--scenes", into(command.scenes)},
                   {"--seeds", into(command.seeds)},
                   {"--noise", into(command.noise, 0.01)}},
                  arguments) &&
         std::ranges::all_of(command.scenes, is_scene) && command.seeds > 0 && command.noise >= 0;
}

int run(int argc, char** argv) {
  const Runtime runtime(argc, argv);
  const Communicator ranks = Communicator::world();
  Command command;
  if (!read(command, Words(argv + 1, argv + argc))) {
    if (ranks.rank() == 0)
      std::fprintf(stderr, "wrong option or value: the top of the source lists all\n");
    return 2;
  }
  sweep(ranks, command);
  return 0;
}

}  // namespace
}  // namespace evenkeel::bench

int main(int argc, char** argv) {
  try {
    return evenkeel::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
