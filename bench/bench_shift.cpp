// Compares runs in which shifts come between new cuts with runs that only make new cuts. The
// weights give the cost of each type, but objects in one region really cost twice as much. Runs are
// in virtual time, so the output is the same each time.
//
//   mpirun -n 5 bench_shift [objects per rank] [steps] [noise in percent]
//
// For each region and way, it prints lambda at first and at the end, the number of rebalances until
// lambda was at most 1.03, the number of objects that moved until then and in total, and the number
// of all rebalances. The last column is the number of objects whose rank differs between the first
// and the last domains: at least as many must move.

#include "clouds.hpp"
#include "runtime.hpp"

#include <evenkeel/evenkeel.hpp>

namespace ek = evenkeel;

namespace {

std::int64_t virtual_time = 0;
std::int64_t virtual_now() noexcept { return virtual_time; }

double from_0_to_1(std::int64_t id, int salt) {
  const auto state = static_cast<std::uint64_t>(id) * 64 + static_cast<std::uint64_t>(salt);
  return ek::clouds::from_0_to_1(ek::clouds::mixed(state + ek::clouds::step_of_state));
}

using Place = ek::clouds::Point;
Place place_of(std::int64_t id) {
  return {from_0_to_1(id, 0), from_0_to_1(id, 1), from_0_to_1(id, 2)};
}

enum class Region { corner, ball, plate };
constexpr const char* region_names[] = {"corner", "ball", "plate"};

bool is_dear(const Place& x, Region region) {
  switch (region) {
    case Region::corner: return x[0] < 0.5 && x[1] < 0.5 && x[2] < 0.5;
    case Region::ball: return std::hypot(x[0] - 0.3, x[1] - 0.35, x[2] - 0.4) < 0.35;
    case Region::plate: return x[2] < 0.2 && x[0] < 0.8;
  }
  return false;
}

// The second type costs 3 times the first, and most of its objects are in one half.
bool is_second(std::int64_t id) { return from_0_to_1(id, 7) < (place_of(id)[1] > 0.5 ? 0.8 : 0.2); }
double cost_of(std::int64_t id, Region region) {
  return (is_second(id) ? 3 : 1) * (is_dear(place_of(id), region) ? 2 : 1);
}

enum class Way { shifts, cuts_by_types, cuts_by_fitted_types, cuts_by_learned_costs };
constexpr const char* way_names[] = {"shifts", "cuts, given types", "cuts, fitted types",
                                     "cuts, learned costs"};

struct Told {
  double first = 1, last = 1;
  int rounds = -1;  // until lambda was at most 1.03; -1 means never
  std::int64_t moved_until = 0, moved = 0, rebalances = 0, least = 0;
};

class Voyage {
 public:
  Voyage(const ek::Communicator& ranks, std::int64_t objects, Region region, Way way)
      : ranks_(ranks), objects_(objects), region_(region), way_(way) {
    for (std::int64_t id = ranks.rank(); id < objects; id += ranks.size()) {
      ids_.push_back(id);
      x_.push_back(place_of(id));
    }
  }

  Told run(int steps, double noise) {
    virtual_time = 0;
    ek::Options options;
    options.trigger = ek::Threshold{.lambda = 1.02};
    options.box = ek::Box{{0, 0, 0}, {1, 1, 1}};
    options.target_lambda = 1.01;
    if (way_ == Way::shifts) options.shift = {.rounds = 8};
    options.epoch_steps = 6;
    options.own_clock = &virtual_now;
    options.log = ek::LogLevel::off;
    ek::Balancer balancer(ranks_, options);
    const ek::Kernel work = balancer.kernel("work");
    balancer.rebalance(all());
    const ek::Domains before = balancer.domains();
    Told told;
    told.first = lambda();
    if (told.first <= 1.03) told.rounds = 0;
    for (int step = 1; step <= steps; ++step) {
      const double off = 2 * from_0_to_1(step / 6, 8 + ranks_.rank()) - 1;
      {
        const auto timing = work.time();
        virtual_time += static_cast<std::int64_t>(100 * load() * (1 + noise * off));
      }
      if (way_ == Way::cuts_by_fitted_types) fit();
      note(balancer.step(all()), told);
    }
    told.last = lambda();
    told.least = differing(before, balancer.domains());
    balancer.finish();
    return told;
  }

 private:
  ek::Set all() {
    weights_.clear();
    for (const std::int64_t id : ids_) weights_.push_back(of_type_[is_second(id) ? 1 : 0]);
    if (way_ == Way::cuts_by_learned_costs) return ek::set(x_, ek::carry(ids_));
    return ek::set(x_, ek::carry(ids_), {.weight = weights_});
  }

  void note(const ek::MoveReport& moved, Told& told) const {
    if (!moved.has_new_domains()) return;
    ++told.rebalances;
    told.moved += moved.objects;
    if (told.rounds >= 0 || lambda() > 1.03) return;
    told.rounds = static_cast<int>(told.rebalances);
    told.moved_until = told.moved;
  }

  double load() const {
    double sum = 0;
    for (const std::int64_t id : ids_) sum += cost_of(id, region_);
    return sum;
  }
  double lambda() const {
    const double most = ranks_.all_reduce(load(), ek::Reduction::greatest);
    return most / ranks_.all_reduce(load(), ek::Reduction::sum) * ranks_.size();
  }

  // Fits the costs of the types by least squares over the ranks. Keeps the old costs if the ranks
  // are too similar.
  void fit() {
    std::array<double, 2> counts = {};
    for (const std::int64_t id : ids_) counts[is_second(id) ? 1 : 0] += 1;
    const double mine = load();
    std::array<double, 5> sums = {counts[0] * counts[0], counts[0] * counts[1],
                                  counts[1] * counts[1], counts[0] * mine, counts[1] * mine};
    ranks_.all_reduce(std::span<double>(sums), ek::Reduction::sum);
    const double determinant = sums[0] * sums[2] - sums[1] * sums[1];
    if (determinant < 1e-9 * sums[0] * sums[2]) return;
    const std::array<double, 2> found = {(sums[2] * sums[3] - sums[1] * sums[4]) / determinant,
                                         (sums[0] * sums[4] - sums[1] * sums[3]) / determinant};
    if (found[0] > 0 && found[1] > 0) of_type_ = found;
  }

  std::int64_t differing(const ek::Domains& a, const ek::Domains& b) const {
    std::int64_t count = 0;
    for (std::int64_t id = 0; id < objects_; ++id)
      if (ek::owner_of(a, place_of(id)) != ek::owner_of(b, place_of(id))) ++count;
    return count;
  }

  const ek::Communicator& ranks_;
  std::int64_t objects_;
  Region region_;
  Way way_;
  std::vector<std::int64_t> ids_;
  std::vector<Place> x_;
  std::vector<double> weights_;
  std::array<double, 2> of_type_ = {1, 3};
};

}  // namespace

int main(int argc, char** argv) {
  const ek::bench::Runtime runtime(argc, argv);
  const auto ranks = ek::Communicator::world();
  const std::int64_t objects = runtime.number<std::int64_t>(1, 3000, 1) * ranks.size();
  const int steps = runtime.number(2, 300, 1);
  const double noise = runtime.number(3, 0, 0) / 100.0;
  if (ranks.rank() == 0)
    std::printf(
        "%d ranks, %lld objects, %d steps, noise %g\n%-8s %-20s %6s %6s %7s %7s %7s %7s %7s\n",
        ranks.size(), static_cast<long long>(objects), steps, noise, "region", "way", "first",
        "last", "rounds", "until", "moved", "times", "least");
  for (const Region region : {Region::corner, Region::ball, Region::plate})
    for (const Way way :
         {Way::shifts, Way::cuts_by_types, Way::cuts_by_fitted_types, Way::cuts_by_learned_costs}) {
      const Told told = Voyage(ranks, objects, region, way).run(steps, noise);
      if (ranks.rank() == 0)
        std::printf("%-8s %-20s %6.3f %6.3f %7d %7lld %7lld %7lld %7lld\n",
                    region_names[static_cast<int>(region)], way_names[static_cast<int>(way)],
                    told.first, told.last, told.rounds, static_cast<long long>(told.moved_until),
                    static_cast<long long>(told.moved), static_cast<long long>(told.rebalances),
                    static_cast<long long>(told.least));
    }
  return 0;
}
