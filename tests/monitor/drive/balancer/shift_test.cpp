// Tests shifts between new cuts. In one region, objects cost twice as much as their types say. Time
// is virtual, so every count is exact.

#include "monitor/drive/balancer/crew.hpp"
#include "monitor/drive/virtual_clock.hpp"
#include "support/scratch.hpp"

namespace evenkeel::shift_test {
namespace {

using namespace test;

// Objects of the two types cost 1 and 3, and twice as much in one region.
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
// Objects of the expensive type are mostly in one half, so that ranks have different mixtures.
bool is_of_dear_type(std::int64_t id) {
  return mix(id, 7) % 10 < (place_of(id, 1) > 0.5 ? 8U : 2U);
}
double weight_of(std::int64_t id) { return is_of_dear_type(id) ? 3 : 1; }
double cost_of(std::int64_t id, Region region) {
  return weight_of(id) * (is_dear(id, region) ? 2 : 1);
}

constexpr Region regions[] = {Region::corner, Region::ball, Region::plate};

// The results of a run.
struct Course {
  std::vector<double> lambdas;      // by true costs: at first, after each rebalance
  std::vector<std::int64_t> moved;  // objects, by rebalance
  double last = 1;
  std::int64_t generation = 0;

  // The number of rebalances until lambda was at most this; empty if it never was.
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
  bool refits = false;  // fits the costs of types to the loads again at each step
  int steps = 300;
  double noise = 0;            // relative error of a rank's load per epoch, at most
  std::int64_t jumps_at = -1;  // the expensive region changes at this step
};

class ShiftOn : public test::OnRanks {
 protected:
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
    return lambda_of(communicator.all_gather(load));
  }

  // Finds the costs of the two types by least squares over the ranks, A c = l, as Niemoeller et al.
  // do. If the ranks are too similar, returns the last estimate.
  std::array<double, 2> fitted(const Ids& ids, Region region, std::array<double, 2> last) const {
    double one = 0, two = 0, load = 0;
    for (const std::int64_t id : ids) {
      (is_of_dear_type(id) ? two : one) += 1;
      load += cost_of(id, region);
    }
    std::array<double, 5> sums = {one * one, one * two, two * two, one * load, two * load};
    communicator.all_reduce(std::span<double>(sums), Reduction::sum);
    const double determinant = sums[0] * sums[2] - sums[1] * sums[1];
    if (determinant < 1e-9 * sums[0] * sums[2]) return last;
    const std::array<double, 2> found = {(sums[2] * sums[3] - sums[1] * sums[4]) / determinant,
                                         (sums[0] * sums[4] - sums[1] * sums[3]) / determinant};
    return found[0] > 0 && found[1] > 0 ? found : last;
  }

  Course course_of(const Voyage& run) const {
    virtual_time = 0;
    const std::int64_t objects = 2000 * size;
    Ids ids = test::ids_here(communicator, test::in_turn, objects);
    std::vector<Point> x = places_of(ids);
    Balancer balancer(communicator, run.options);
    auto work = balancer.kernel("work");
    std::vector<double> weights;
    std::array<double, 2> of_type = {1, 3};
    const auto all = [&] {
      weights.clear();
      for (const std::int64_t id : ids) weights.push_back(of_type[is_of_dear_type(id) ? 1 : 0]);
      return run.has_weights ? set(x, carry(ids), {.weight = weights}) : set(x, carry(ids));
    };
    balancer.rebalance(all());
    Course course;
    course.lambdas.push_back(lambda_of_costs(ids, run.region));
    for (int step = 1; step <= run.steps; ++step) {
      const Region region = run.jumps_at >= 0 && step >= run.jumps_at ? Region::plate : run.region;
      double load = 0;
      for (const std::int64_t id : ids) load += cost_of(id, region);
      const double off = static_cast<double>(mix(step / 6, rank) % 2001) / 1000 - 1;
      spend(work, static_cast<std::int64_t>(load * (1 + run.noise * off) * 100));
      if (run.refits) of_type = fitted(ids, region, of_type);
      const MoveReport moved = balancer.step(all());
      if (step == run.steps || moved.has_new_domains()) course.last = lambda_of_costs(ids, region);
      if (!moved.has_new_domains()) continue;
      test::expect_agreed(communicator, balancer, moved);
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
      if (size == 1) continue;
      // New cuts by the weights of the types must not reduce the imbalance, even if these weights
      // are fitted again.
      for (const bool refits : {false, true}) {
        Voyage voyage{region, options(Threshold{.lambda = 1.02}, {})};
        voyage.refits = refits;
        const Course cut = course_of(voyage);
        EXPECT_GT(cut.last, 1.03) << text_of(cut);
      }
    }
}

// New cuts by the learned cost of each object do reduce the imbalance. Borders have to move as far
// as with shifts, so if loads do not fluctuate, about as many objects move.
TEST_F(ShiftOn, MovesNoMoreThanNewCutsByLearnedCosts) {
  std::int64_t by_shifts = 0, by_cuts = 0;
  for (const Region region : regions) {
    const Course shifts = course_of({region, options(Threshold{.lambda = 1.02}, {.rounds = 8})});
    const Course cuts = course_of({region, options(Threshold{.lambda = 1.02}, {}), false});
    by_shifts += shifts.moved_in(shifts.moved.size());
    by_cuts += cuts.moved_in(cuts.moved.size());
  }
  EXPECT_LE(static_cast<double>(by_shifts), 1.05 * static_cast<double>(by_cuts));
}

// If loads fluctuate, new cuts never stop, but shifts must come to an end.
TEST_F(ShiftOn, EndsWhereLoadsFluctuate) {
  if (size == 1 || test::is_sanitized) return;
  std::int64_t by_shifts = 0, by_cuts = 0;
  for (const Region region : {Region::corner, Region::plate}) {
    Voyage voyage{region, options(Threshold{.lambda = 1.02}, {.rounds = 8})};
    voyage.steps = 800;
    voyage.noise = 0.04;
    const Course shifts = course_of(voyage);
    SCOPED_TRACE(text_of(shifts));
    EXPECT_LE(shifts.last, 1.03);
    voyage.options.shift = {};
    voyage.has_weights = false;
    const Course cuts = course_of(voyage);
    by_shifts += shifts.moved_in(shifts.moved.size());
    by_cuts += cuts.moved_in(cuts.moved.size());
  }
  EXPECT_LE((size == 2 ? 2 : 3) * by_shifts, by_cuts);
}

TEST_F(ShiftOn, BeginsAnewWhenTheLoadChangesALot) {
  for (const Trigger& trigger : {Trigger(CostAware{}), Trigger(Threshold{.lambda = 1.02})}) {
    Voyage voyage{Region::corner, options(trigger, {.rounds = 3})};
    voyage.steps = 300;
    voyage.jumps_at = 120;
    const Course course = course_of(voyage);
    EXPECT_LE(course.last, 1.03) << to_text(trigger) << text_of(course);
  }
}

// The journal must contain the shifts of a run.
TEST_F(ShiftOn, IsTold) {
  Voyage voyage{Region::corner, options(Threshold{.lambda = 1.02}, {.rounds = 8})};
  voyage.options.journal = scratch.path_of("journal");
  static_cast<void>(course_of(voyage));
  if (rank > 0 || size == 1) return;
  const std::string journal = test::content_of(scratch.path_of("journal"));
  EXPECT_MENTIONS(journal, R"("cause":"shifts")");
  EXPECT_MENTIONS(journal, "shift 1 of 8");
  EXPECT_MENTIONS(journal, R"("kind":"shift")");
}

// A deterministic run must not shift, since no clock decides. Neither must boxes, which have no
// curve.
TEST_F(ShiftOn, IsNotForAllRuns) {
  Voyage voyage{Region::corner, options(Threshold{.lambda = 1.02}, {.rounds = 8})};
  voyage.options.deterministic = true;
  voyage.options.own_clock = nullptr;
  EXPECT_TRUE(course_of(voyage).moved.empty());
  Options boxes = options(CostAware{}, {.rounds = 1});
  boxes.method = Tensor{};
  EXPECT_ERROR(Balancer(communicator, boxes), "whose domains are not ranges of a curve");
  for (const double penalty : {0.0, 0.5, -1.0})
    EXPECT_ERROR(Balancer(communicator, options(CostAware{}, {.rounds = 1, .penalty = penalty})),
                 "shift_penalty");
  for (const int rounds : {-1, 1001})
    EXPECT_ERROR(Balancer(communicator, options(CostAware{}, {.rounds = rounds})), "shift_rounds");
}

}  // namespace
}  // namespace evenkeel::shift_test
