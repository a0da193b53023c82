// Shifts between new cuts: one region is twice as dear as the types of its objects say. Time is
// virtual, so that every count is exact.

#include "monitor/drive/balancer/crew.hpp"
#include "support/scratch.hpp"

#include <cmath>
#include <optional>

namespace evenkeel {
namespace {

using test::Ids;
using test::mix;

std::int64_t virtual_time = 0;
std::int64_t virtual_now() noexcept { return virtual_time; }

double place_of(std::int64_t id, int axis) {
  return static_cast<double>(mix(id, axis) % 100003) / 100003;
}

// Types cost 1 and 3, and twice as much in one region.
enum class Region : std::uint8_t { corner, ball, plate };

bool is_dear(std::int64_t id, Region region) {
  const double x = place_of(id, 0), y = place_of(id, 1), z = place_of(id, 2);
  switch (region) {
    case Region::corner: return x < 0.5 && y < 0.5 && z < 0.5;
    case Region::ball: return std::hypot(x - 0.3, y - 0.35, z - 0.4) < 0.35;
    case Region::plate: return z < 0.2 && x < 0.8;
  }
  return false;
}
double weight_of(std::int64_t id) { return mix(id, 7) % 2 == 0 ? 1 : 3; }
double cost_of(std::int64_t id, Region region) {
  return weight_of(id) * (is_dear(id, region) ? 2 : 1);
}

constexpr Region regions[] = {Region::corner, Region::ball, Region::plate};

// What a run has come to.
struct Course {
  std::vector<double> lambdas;      // by the true costs: at first, and after each rebalance
  std::vector<std::int64_t> moved;  // objects, by rebalance
  double last = 1;
  std::int64_t generation = 0;

  // The rebalances until lambda was at most this much; nothing if it never was.
  std::optional<std::size_t> until(double lambda) const {
    for (std::size_t k = 0; k < lambdas.size(); ++k)
      if (lambdas[k] <= lambda) return k;
    return std::nullopt;
  }
  std::int64_t moved_in(std::size_t rebalances) const {
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < std::min(rebalances, moved.size()); ++k) sum += moved[k];
    return sum;
  }
};

struct Voyage {
  Region region = Region::corner;
  Options options = {};
  bool has_weights = true;
  int steps = 300;
  std::int64_t jumps_at = -1;  // the step from which on another region is dear
};

class ShiftOn : public testing::Test {
 protected:
  Communicator communicator = test::world();
  int rank = communicator.rank(), size = communicator.size();
  test::ScratchDirectory scratch;

  Options options(const Trigger& trigger, Shift shift) const {
    Options options;
    options.trigger = trigger;
    options.box = Box{{0, 0, 0}, {1, 1, 1}};
    options.target_lambda = 1.01;
    options.shift = shift;
    options.epoch_steps = 6;
    options.warmup_steps = 0;
    options.own_clock = &virtual_now;
    options.log = LogLevel::off;
    return options;
  }

  double lambda_of_costs(const Ids& ids, Region region) const {
    double load = 0;
    for (const std::int64_t id : ids) load += cost_of(id, region);
    const double most = communicator.all_reduce(load, Reduction::greatest);
    return most / communicator.all_reduce(load, Reduction::sum) * size;
  }

  Course course_of(const Voyage& run) const {
    virtual_time = 0;
    const std::int64_t objects = 3000 * size;
    Ids ids = test::ids_here(communicator, test::in_turn, objects);
    std::vector<std::array<double, 3>> x(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i)
      for (int d = 0; d < 3; ++d) x[i][static_cast<std::size_t>(d)] = place_of(ids[i], d);
    Balancer balancer(communicator, run.options);
    auto work = balancer.kernel("work");
    std::vector<double> weights;
    const auto all = [&] {
      weights.clear();
      for (const std::int64_t id : ids) weights.push_back(weight_of(id));
      return run.has_weights ? set(x, carry(ids), {.weight = weights}) : set(x, carry(ids));
    };
    balancer.rebalance(all());
    Course course;
    course.lambdas.push_back(lambda_of_costs(ids, run.region));
    for (int step = 1; step <= run.steps; ++step) {
      const Region region = run.jumps_at >= 0 && step >= run.jumps_at ? Region::plate : run.region;
      double load = 0;
      for (const std::int64_t id : ids) load += cost_of(id, region);
      {
        const auto timing = work.time();
        virtual_time += static_cast<std::int64_t>(load * 100);
      }
      const MoveReport moved = balancer.step(all());
      test::expect_agreed(communicator, balancer, moved);
      course.last = lambda_of_costs(ids, region);
      if (!moved.has_new_domains()) continue;
      test::expect_at_owners(balancer, set(x, carry(ids)));
      course.lambdas.push_back(course.last);
      course.moved.push_back(moved.objects);
    }
    course.generation = generation_of(balancer.domains());
    balancer.finish();
    EXPECT_EQ(test::ids_everywhere(communicator, ids), test::counting<std::int64_t>(objects));
    return course;
  }
};

std::string text_of(const Course& course) {
  std::string text;
  for (std::size_t k = 0; k < course.lambdas.size(); ++k) {
    text += ' ' + std::to_string(course.lambdas[k]);
    if (k < course.moved.size()) text += " (" + std::to_string(course.moved[k]) + ')';
  }
  return text;
}

TEST_F(ShiftOn, IsEvenAfterAFewRoundsAndStaysSo) {
  for (const Trigger& trigger : {Trigger(CostAware{}), Trigger(Threshold{.lambda = 1.02})})
    for (const Region region : regions) {
      const Course course = course_of({region, options(trigger, {.rounds = 8})});
      SCOPED_TRACE(to_text(trigger) + ':' + text_of(course));
      EXPECT_TRUE(size == 1 || course.lambdas.front() > 1.03);
      ASSERT_TRUE(course.until(1.03));
      EXPECT_LE(*course.until(1.03), 8U);
      EXPECT_LE(course.last, 1.03);
      EXPECT_LE(course.moved.size(), 9U);
      // Weights that are wrong lead no new cut there.
      const Course cut = course_of({region, options(trigger, {})});
      EXPECT_TRUE(size == 1 || cut.last > 1.03) << text_of(cut);
    }
}

}  // namespace
}  // namespace evenkeel
