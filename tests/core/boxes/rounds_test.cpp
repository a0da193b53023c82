#include "core/boxes/descents.hpp"
#include "support/sampled.hpp"

#include <evenkeel/core/boxes/rounds.hpp>
#include <evenkeel/core/domains/part_of_point.hpp>

namespace evenkeel::rounds_test {
namespace {

using Place = std::array<double, 3>;
using Places = std::vector<Place>;
using Work = std::vector<double>;

constexpr Box unit = {{0, 0, 0}, {1, 1, 1}};

// --- Work: how many of a cloud's points a domain has ---------------------------------------------

struct Blob {
  Place centre;
  double width;  // 0 means evenly in the box
  double share;
};

double anywhere(std::mt19937_64& random) {
  return std::uniform_real_distribution<double>()(random);
}

Places places_of(const std::vector<Blob>& blobs, std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  double all = 0;
  for (const Blob& blob : blobs) all += blob.share;
  Places places;
  while (places.size() < count) {
    double at = anywhere(random) * all;
    std::size_t b = 0;
    while (b + 1 < blobs.size() && at > blobs[b].share) at -= blobs[b++].share;
    Place place;
    for (std::size_t axis = 0; axis < 3; ++axis)
      place[axis] = blobs[b].width > 0 ? blobs[b].centre[axis] + blobs[b].width * normal(random)
                                       : anywhere(random);
    if (std::all_of(place.begin(), place.end(), [](double x) { return x >= 0 && x < 1; }))
      places.push_back(place);
  }
  return places;
}

constexpr std::size_t many = 60000;

Places one_blob(unsigned seed) { return places_of({{{0.5, 0.5, 0.5}, 0.12, 1}}, many, seed); }

Places two_blobs(unsigned seed, double moved = 0) {
  return places_of({{{0.25 + moved, 0.3, 0.35}, 0.08, 0.45},
                    {{0.7, 0.75, 0.6 - moved}, 0.05, 0.45},
                    {{}, 0, 0.1}},
                   many, seed);
}

Places mostly_in_a_corner(double side, unsigned seed) {
  std::mt19937_64 random(seed);
  Places places(many);
  for (Place& place : places) {
    const double within = anywhere(random) < 0.98 ? side : 1;
    for (double& x : place) x = within * anywhere(random);
  }
  return places;
}

Places any_blobs(unsigned seed, std::size_t count = 20000) {
  std::mt19937_64 random(seed);
  std::vector<Blob> blobs(1 + random() % 5);
  for (Blob& blob : blobs) {
    blob.width = 0.01 * std::pow(30.0, anywhere(random));
    for (double& x : blob.centre) x = anywhere(random);
    blob.share = 0.1 + anywhere(random);
  }
  if (anywhere(random) > 0.3) blobs.push_back({{}, 0, 1.5 * anywhere(random)});
  return places_of(blobs, count, seed + 1);
}

Work work_of(const GridDomains& grid, const Places& places) {
  Work work(static_cast<std::size_t>(grid.parts()));
  const PartOfPoint part_of = grid.part_of_point();
  for (const Place& place : places) ++work[static_cast<std::size_t>(part_of(place.data()))];
  return work;
}

double lambda_of(const Work& work, const std::vector<double>& speeds = {}) {
  double all = 0, bearable = 0, most = 0;
  for (std::size_t p = 0; p < work.size(); ++p) {
    const double speed = speeds.empty() ? 1 : speeds[p];
    all += work[p];
    bearable += speed;
    most = std::max(most, work[p] / speed);
  }
  return most * bearable / all;
}

// --- Rounds --------------------------------------------------------------------------------------

GridDomains even(const GridShape& shape, GridScheme scheme = GridScheme::staggered,
                 const Box& box = unit) {
  return GridDomains::uniform(shape, box, scheme);
}

constexpr GridShape cube = {3, {4, 4, 4}};

// The lambdas of the first grid, and of each grid that follows.
std::vector<double> lambdas_of(GridRounds& rounds, const Places& places, int count) {
  std::vector<double> lambdas;
  for (int round = 0; round <= count; ++round) {
    const Work work = work_of(rounds.current(), places);
    lambdas.push_back(lambda_of(work));
    rounds.next(work);
  }
  return lambdas;
}

// Returns the number of the first grid that is this even, or the number of lambdas if no grid is.
std::size_t rounds_until(const std::vector<double>& lambdas, double lambda) {
  return static_cast<std::size_t>(
      std::find_if(lambdas.begin(), lambdas.end(), [=](double l) { return l <= lambda; }) -
      lambdas.begin());
}

// These tests need no other rank, so they run on one.
class GridRoundsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (test::size() > 1) GTEST_SKIP() << "local";
  }
};

TEST_F(GridRoundsTest, StaggeredGridsAreEvenInAFewRounds) {
  struct Goal {
    const char* name;
    Places places;
    std::size_t fair, good;  // rounds to 1.05 and 1.02
  };
  const Goal goals[] = {
      {"one blob", one_blob(101), 5, 6},
      {"two blobs", two_blobs(102), 6, 12},
      {"two other blobs",
       places_of({{{0.3, 0.35, 0.3}, 0.06, 9}, {{0.72, 0.6, 0.68}, 0.09, 9}, {{}, 0, 2}}, many,
                 103),
       6, 12},
      {"small corner", mostly_in_a_corner(0.02, 104), 8, 15},
      {"corner of 2 % of the volume", mostly_in_a_corner(std::cbrt(0.02), 105), 8, 15}};
  for (const Goal& goal : goals) {
    SCOPED_TRACE(goal.name);
    GridRounds rounds(even(cube), {});
    const std::vector<double> lambdas = lambdas_of(rounds, goal.places, 12);
    EXPECT_LE(rounds_until(lambdas, 1.05), goal.fair) << testing::PrintToString(lambdas);
    EXPECT_LE(rounds_until(lambdas, 1.02), goal.good) << testing::PrintToString(lambdas);
  }
}

TEST_F(GridRoundsTest, RowsAreEvenInAFewRounds) {
  const auto bell = [](double x, double centre, double width) {
    return 0.5 * (1 + std::erf((x - centre) / (width * std::sqrt(2.0))));
  };
  using Below = std::function<double(double)>;  // the work below a place
  const std::pair<const char*, Below> densities[] = {
      {"bell", [&](double x) { return 0.1 * x + bell(x, 0.4, 0.08); }},
      {"spikes",
       [&](double x) { return 0.2 * x + 0.5 * bell(x, 0.23, 0.01) + 0.3 * bell(x, 0.71, 0.02); }},
      {"decay", [](double x) { return 1 - std::exp(-10 * x); }}};
  for (const auto& [name, below] : densities)
    for (const int n : {4, 16, 64, 256, 1024}) {
      SCOPED_TRACE(std::string(name) + " into " + std::to_string(n));
      GridRounds rounds(even({1, {n, 1, 1}}, GridScheme::staggered, {{0, 0, 0}, {1, 0, 0}}), {});
      std::vector<double> lambdas;
      for (int round = 0; round < 8; ++round) {
        const std::vector<double>& row = rounds.current().borders().levels[0];
        Work work;
        for (std::size_t i = 0; i + 1 < row.size(); ++i)
          work.push_back(below(row[i + 1]) - below(row[i]));
        lambdas.push_back(lambda_of(work));
        rounds.next(work);
      }
      EXPECT_LE(rounds_until(lambdas, 1.02), n == 4 ? 7u : 4u) << testing::PrintToString(lambdas);
    }
}

// --- Tensor grids --------------------------------------------------------------------------------

TEST_F(GridRoundsTest, TensorGridsAreNearlyAsEvenAsTheyCanBe) {
  if (test::is_sanitized) GTEST_SKIP() << "asks how good results are, in many worlds";
  for (const Places& places :
       {one_blob(201), two_blobs(202), mostly_in_a_corner(std::cbrt(0.02), 203), any_blobs(204)}) {
    GridRounds rounds(even(cube, GridScheme::tensor), {});
    const std::vector<double> lambdas = lambdas_of(rounds, places, 8);
    const double best = test::Descents(places, cube, 192)
                            .best_lambda(test::sampled(20), 5, test::Descents::Start::among_places);
    EXPECT_LE(rounds_until(lambdas, 1.1 * best), 8u) << testing::PrintToString(lambdas);
    EXPECT_EQ(rounds.current().borders().scheme, GridScheme::tensor);
  }
}

// --- The best, and what is worse -----------------------------------------------------------------

TEST_F(GridRoundsTest, TheBestIsNeverWorseThanAnythingSeen) {
  for (const GridScheme scheme : {GridScheme::tensor, GridScheme::staggered})
    for (const GridRule rule : {GridRule::model, GridRule::relaxation})
      for (unsigned seed = 300; seed < 305; ++seed) {
        const Places places = any_blobs(seed, 5000);
        GridRoundsOptions options;
        options.rule = rule;
        GridRounds rounds(even({3, {3, 2, 4}}, scheme), options);
        EXPECT_EQ(rounds.best_lambda(), 0);
        EXPECT_EQ(rounds.best().borders(), rounds.current().borders());
        double best = std::numeric_limits<double>::infinity();
        for (int round = 0; round < 10; ++round) {
          const Work work = work_of(rounds.current(), places);
          best = std::min(best, lambda_of(work));
          rounds.next(work);
          EXPECT_NEAR(rounds.best_lambda(), best, 1e-12 * best);
          EXPECT_NEAR(lambda_of(work_of(rounds.best(), places)), best, 1e-12 * best);
        }
      }
}

int clouds_that_get_worse(const GridShape& shape, GridScheme scheme, unsigned clouds) {
  int worse = 0;
  for (unsigned seed = 0; seed < clouds; ++seed) {
    GridRounds rounds(even(shape, scheme), {});
    const std::vector<double> lambdas = lambdas_of(rounds, any_blobs(400 + seed, 5000), 8);
    bool is_worse = false;
    for (std::size_t i = 1; i < lambdas.size(); ++i)
      is_worse = is_worse || lambdas[i] > 1.05 * lambdas[i - 1];
    worse += is_worse ? 1 : 0;
  }
  return worse;
}

// If a domain is far wider than the blobs, the rounds do not know their positions within it. By
// plain equidistribution, 2 % and 30 % of the clouds would get worse.
TEST_F(GridRoundsTest, FewCloudsGetWorseOnTheWay) {
  if (test::is_sanitized) GTEST_SKIP() << "counts cases";
  EXPECT_LE(clouds_that_get_worse({3, {16, 1, 1}}, GridScheme::staggered, 100), 5);
  EXPECT_LE(clouds_that_get_worse({3, {4, 1, 1}}, GridScheme::staggered, 100), 25);
  EXPECT_LE(clouds_that_get_worse(cube, GridScheme::staggered, 30), 7);
}

TEST_F(GridRoundsTest, StaysWhenNothingBetterIsInSight) {
  if (test::is_sanitized) GTEST_SKIP() << "asks how good results are, in many worlds";
  GridRounds rounds(even(cube), {});
  const Work alike(64, 3.0);
  EXPECT_EQ(rounds.next(alike).generation(), 1);
  EXPECT_EQ(rounds.best_lambda(), 1);
  // Borders cannot separate places on the same plane, and there are few planes.
  Places places = any_blobs(7);
  for (Place& place : places) place[0] = std::floor(place[0] * 3) / 3;
  for (const GridScheme scheme : {GridScheme::tensor, GridScheme::staggered}) {
    GridRounds planes(even({3, {8, 2, 2}}, scheme), {});
    lambdas_of(planes, places, 40);
    const std::int64_t before = planes.current().generation();
    lambdas_of(planes, places, 10);
    EXPECT_EQ(planes.current().generation(), before);
    EXPECT_EQ(planes.current().borders(), planes.best().borders());
    // The grid stays only as long as the work does.
    const std::vector<double> lambdas = lambdas_of(planes, two_blobs(8), 20);
    EXPECT_LE(lambdas.back(), scheme == GridScheme::tensor ? 4 : 1.1)
        << testing::PrintToString(lambdas);
  }
}

// --- Noise ---------------------------------------------------------------------------------------

struct Settled {
  double lambda = 0;  // the mean of the last rounds, for work without noise
  int moves = 0;      // in the last rounds
};

Settled settled(double noise, double said, unsigned seed) {
  const Places places = two_blobs(seed);
  GridRoundsOptions options;
  options.noise = said;
  GridRounds rounds(even(cube), options);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Settled settled;
  for (int round = 0; round < 24; ++round) {
    Work work = work_of(rounds.current(), places);
    const std::int64_t before = rounds.current().generation();
    if (round >= 14) settled.lambda += lambda_of(work) / 10;
    for (double& w : work) w *= std::max(0.0, 1 + noise * normal(random));
    rounds.next(work);
    if (round >= 14 && rounds.current().generation() > before) ++settled.moves;
  }
  return settled;
}

TEST_F(GridRoundsTest, DoesNotFollowNoise) {
  if (test::is_sanitized) GTEST_SKIP() << "asks how good results are, in many worlds";
  for (const double said : {0.0, 0.05}) {
    const Settled noisy = settled(0.05, said, 501);
    EXPECT_LE(noisy.lambda, 1.15) << said;
    EXPECT_LE(noisy.moves, 5) << said;
  }
  EXPECT_LE(settled(0, 0, 502).lambda, 1.01);
}

// --- Work that changes ---------------------------------------------------------------------------

TEST_F(GridRoundsTest, FollowsWorkThatMoves) {
  GridRounds rounds(even(cube), {});
  lambdas_of(rounds, two_blobs(601), 8);
  const std::vector<double> lambdas = lambdas_of(rounds, two_blobs(602, 0.3), 10);
  EXPECT_GT(lambdas.front(), 4);
  // The best grid for the earlier work must no longer count.
  EXPECT_NEAR(rounds.best_lambda(), *std::min_element(lambdas.begin(), lambdas.end()), 1e-12);
  EXPECT_LE(rounds_until(lambdas, 1.05), 8u) << testing::PrintToString(lambdas);
}

TEST_F(GridRoundsTest, FollowsWorkThatDrifts) {
  if (test::is_sanitized) GTEST_SKIP() << "asks how good results are, in many worlds";
  GridRounds rounds(even(cube), {});
  double worst = 0;
  for (int round = 0; round < 30; ++round) {
    const Work work = work_of(rounds.current(), two_blobs(603, 0.005 * round));
    if (round > 6) worst = std::max(worst, lambda_of(work));
    rounds.next(work);
  }
  EXPECT_LE(worst, 2);
}

// --- Speeds, widths and cells --------------------------------------------------------------------

TEST_F(GridRoundsTest, WorkFollowsSpeeds) {
  for (const GridShape& shape : {GridShape{3, {4, 4, 4}}, GridShape{1, {7, 1, 1}}}) {
    GridRoundsOptions options;
    for (int part = 0; part < shape.parts(); ++part) options.speeds.push_back(1 + part % 5);
    GridRounds rounds(even(shape), options);
    const Places places = two_blobs(701);
    for (int round = 0; round < 8; ++round) rounds.next(work_of(rounds.current(), places));
    EXPECT_LE(lambda_of(work_of(rounds.current(), places), options.speeds), 1.05);
    EXPECT_NEAR(rounds.best_lambda(), lambda_of(work_of(rounds.best(), places), options.speeds),
                1e-12);
  }
}

void expect_allowed(const GridDomains& grid, const GridRoundsOptions& options) {
  for (int part = 0; part < grid.parts(); ++part) {
    const Box box = grid.box_of(part);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double width = box.upper[axis] - box.lower[axis];
      EXPECT_GE(width, options.least_width[axis] * (1 - 1e-14));
      if (!(options.cell_size[axis] > 0)) continue;
      const double cells = (box.lower[axis] - unit.lower[axis]) / options.cell_size[axis];
      EXPECT_NEAR(cells, std::round(cells), 1e-9);
    }
  }
}

TEST_F(GridRoundsTest, WidthsAndCellsAlwaysHold) {
  std::vector<GridRoundsOptions> choices(5);
  choices[0].least_width = {0.1, 0.05, 0.2};
  choices[1].least_width = {0.25, 0.25, 0.25};  // no room to spare
  choices[2].cell_size = {1.0 / 64, 1.0 / 10, 1.0 / 7};
  choices[3].cell_size = {0.03, 0.03, 0.03};  // does not divide the box
  choices[3].least_width = {0.05, 0.1, 0.2};
  choices[4].least_width = {0.1, 0, 0};
  choices[4].rule = GridRule::relaxation;
  for (const GridRoundsOptions& options : choices)
    for (const GridScheme scheme : {GridScheme::tensor, GridScheme::staggered})
      for (unsigned seed = 800; seed < 803; ++seed) {
        const Places places = any_blobs(seed, 5000);
        GridRounds rounds(even(cube, scheme), options);
        double first = 0;
        for (int round = 0; round < 6; ++round) {
          expect_allowed(rounds.current(), options);
          const Work work = work_of(rounds.current(), places);
          if (round == 0) first = lambda_of(work);
          rounds.next(work);
        }
        EXPECT_LE(rounds.best_lambda(), first * (1 + 1e-12));
      }
}

TEST_F(GridRoundsTest, StaggeredGridsWithWidthsAreAsEvenAsTensorGrids) {
  GridRoundsOptions options;
  options.least_width = {0.1, 0.1, 0.1};
  const Places places = two_blobs(811);
  GridRounds staggered(even(cube), options), tensor(even(cube, GridScheme::tensor), options);
  lambdas_of(staggered, places, 8);
  lambdas_of(tensor, places, 8);
  EXPECT_LE(staggered.best_lambda(), 1.1 * tensor.best_lambda());
}

TEST_F(GridRoundsTest, KeepsWhatIsNoPartOfBalancing) {
  std::vector<int> ranks(64);
  for (std::size_t p = 0; p < 64; ++p) ranks[p] = static_cast<int>((p + 5) % 64);
  const GridDomains start =
      GridDomains::uniform(cube, unit, GridScheme::staggered, {true, false, true}, ranks);
  GridRounds rounds(start, {});
  EXPECT_EQ(rounds.current().generation(), start.generation());
  const GridDomains& next = rounds.next(work_of(start, one_blob(1)));
  EXPECT_EQ(next.generation(), start.generation() + 1);
  EXPECT_EQ(next.rank_of_part(), ranks);
  EXPECT_EQ(next.periodic(), start.periodic());
  EXPECT_EQ(next.box(), start.box());
  EXPECT_EQ(next.shape(), start.shape());
}

// --- Odd inputs ----------------------------------------------------------------------------------

TEST_F(GridRoundsTest, WithoutWorkAllStays) {
  GridRounds rounds(even(cube), {});
  for (int round = 0; round < 3; ++round) rounds.next(Work(64));
  EXPECT_EQ(rounds.current().generation(), 1);
  EXPECT_EQ(rounds.best_lambda(), 0);
  const std::vector<double> lambdas = lambdas_of(rounds, one_blob(1), 5);
  EXPECT_LE(rounds_until(lambdas, 1.05), 5u);
  const std::int64_t before = rounds.current().generation();
  EXPECT_EQ(rounds.next(Work(64)).generation(), before);
}

TEST_F(GridRoundsTest, AnyShapeGetsEven) {
  if (test::is_sanitized) GTEST_SKIP() << "asks how good results are, in many worlds";
  for (const GridScheme scheme : {GridScheme::tensor, GridScheme::staggered})
    for (const GridShape& shape :
         {GridShape{3, {1, 1, 13}}, GridShape{3, {1, 16, 1}}, GridShape{3, {7, 5, 3}},
          GridShape{2, {5, 3, 1}}, GridShape{1, {11, 1, 1}}, GridShape{3, {1, 1, 1}}}) {
      GridRounds rounds(even(shape, scheme), {});
      lambdas_of(rounds, two_blobs(901), 9);
      const bool is_free =
          scheme == GridScheme::staggered ||
          *std::max_element(shape.extents.begin(), shape.extents.end()) == shape.parts();
      EXPECT_LE(rounds.best_lambda(), is_free ? 1.05 : 3.0)
          << testing::PrintToString(shape.extents);
    }
}

TEST_F(GridRoundsTest, WorkInFewPlacesIsFound) {
  if (test::is_sanitized) GTEST_SKIP() << "asks how good results are, in many worlds";
  Places slab = two_blobs(911), corner = any_blobs(912), point(1000, {1e-4, 1e-4, 1e-4});
  for (Place& place : slab) place[0] *= 0.4;
  for (Place& place : corner)
    for (double& x : place) x *= 1e-3;
  for (const GridScheme scheme : {GridScheme::tensor, GridScheme::staggered}) {
    const bool is_staggered = scheme == GridScheme::staggered;
    GridRounds in_slab(even(cube, scheme), {}), in_corner(even(cube, scheme), {}),
        in_point(even(cube, scheme), {});
    lambdas_of(in_slab, slab, 8);
    EXPECT_LE(in_slab.best_lambda(), is_staggered ? 1.05 : 4);
    lambdas_of(in_corner, corner, 12);
    EXPECT_LE(in_corner.best_lambda(), is_staggered ? 1.15 : 5);
    for (const double lambda : lambdas_of(in_point, point, 12)) EXPECT_EQ(lambda, 64);
  }
}

TEST_F(GridRoundsTest, AnAxisWithoutExtentIsNoHindrance) {
  const Box flat = {{0, 0.5, 0}, {1, 0.5, 1}};
  Places places = one_blob(921);
  for (Place& place : places) place[1] = 0.5;
  for (const GridScheme scheme : {GridScheme::tensor, GridScheme::staggered}) {
    GridRounds rounds(even({3, {4, 2, 4}}, scheme, flat), {});
    lambdas_of(rounds, places, 8);
    EXPECT_NEAR(rounds.best_lambda(), 2, 0.2);  // the second half along y can have no work
  }
}

TEST_F(GridRoundsTest, FarAndLongBoxesAreLikeAnyOther) {
  const Box far = {{1e6, -3e-5, 7e12}, {1e6 + 1, -2e-5, 9e12}};
  Places places = one_blob(931);
  for (Place& place : places)
    for (std::size_t axis = 0; axis < 3; ++axis)
      place[axis] = std::lerp(far.lower[axis], far.upper[axis], place[axis]);
  GridRounds rounds(even(cube, GridScheme::staggered, far), {});
  lambdas_of(rounds, places, 6);
  EXPECT_LE(rounds.best_lambda(), 1.05);
}

TEST_F(GridRoundsTest, TheSizeOfNumbersDoesNotMatter) {
  const Places places = two_blobs(941);
  GridRounds plain(even(cube), {}), great(even(cube), {});
  for (int round = 0; round < 6; ++round) {
    Work work = work_of(plain.current(), places);
    plain.next(work);
    for (double& w : work) w *= 0x1p1006;  // their sum is infinite
    great.next(work);
    ASSERT_EQ(great.current().borders(), plain.current().borders());
  }
}

TEST_F(GridRoundsTest, TheSameNumbersGiveTheSameGrids) {
  for (const GridScheme scheme : {GridScheme::tensor, GridScheme::staggered}) {
    GridRounds one(even(cube, scheme), {}), other(even(cube, scheme), {});
    const Places places = any_blobs(951);
    for (int round = 0; round < 6; ++round) {
      const Work work = work_of(one.current(), places);
      one.next(work);
      EXPECT_EQ(other.next(work).borders(), one.current().borders());
      other = GridRounds(std::move(other));
    }
  }
}

// --- Relaxation ----------------------------------------------------------------------------------

GridRoundsOptions relaxation(double gamma = 0) {
  GridRoundsOptions options;
  options.rule = GridRule::relaxation;
  options.gamma = gamma;
  return options;
}

TEST_F(GridRoundsTest, RelaxationMovesBordersAsPublished) {
  const Box box = {{0, 0, 0}, {2, 0, 0}};
  GridRounds row(even({1, {4, 1, 1}}, GridScheme::staggered, box), relaxation());
  const Work work = {3, 1, 0, 0};
  const std::vector<double>& borders = row.next(work).borders().levels[0];
  EXPECT_NEAR(borders[1], 0.5 - 0.5 / 4.1 * (2.0 / 4), 1e-15);
  EXPECT_NEAR(borders[2], 1 - 0.5 / 4.1, 1e-15);
  EXPECT_EQ(borders[3], 1.5);  // no work on either side
  GridRounds hasty(even({1, {2, 1, 1}}, GridScheme::staggered, box), relaxation(0.1));
  EXPECT_NEAR(hasty.next(Work{1, 0}).borders().levels[0][1], 0.51, 1e-15);
  // Domains are wide and narrow: gamma is 1.1 (1 + 9), the mean width is 2 / 2, and the works
  // differ by 1 of 3.
  GridBorders uneven{GridScheme::staggered, {0, 1, 2}, {{{0, 1.8, 2}, {}, {}}}};
  GridRounds slow(GridDomains(1, {1, {2, 1, 1}}, box, {}, uneven), relaxation());
  EXPECT_NEAR(slow.next(Work{2, 1}).borders().levels[0][1], 1.8 - 1 / 11.0 / 3, 1e-15);
}

TEST_F(GridRoundsTest, RelaxationTakesTheWorkOfSlabs) {
  const GridShape shape = {2, {2, 2, 1}};
  const Work work = {4, 2, 1, 1};  // parts (x, y): (0, 0), (0, 1), (1, 0), (1, 1)
  const double by = 0.5 / 4.1;
  GridRounds tensor(even(shape, GridScheme::tensor), relaxation());
  const GridBorders& slabs = tensor.next(work).borders();  // y outermost
  EXPECT_NEAR(slabs.levels[0][1], 0.5 - by * 2 / 8, 1e-15);
  EXPECT_NEAR(slabs.levels[1][1], 0.5 - by * 4 / 8, 1e-15);
  GridRounds staggered(even(shape), relaxation());
  const GridBorders& planes = staggered.next(work).borders();
  EXPECT_NEAR(planes.levels[0][1], 0.5 - by * 2 / 8, 1e-15);
  EXPECT_NEAR(planes.levels[1][1], 0.5 - by * 3 / 5, 1e-15);
  EXPECT_NEAR(planes.levels[1][4], 0.5 - by * 1 / 3, 1e-15);
}

TEST_F(GridRoundsTest, RelaxationGetsThereInTheEnd) {
  GridRounds rounds(even(cube), relaxation());
  const std::vector<double> lambdas = lambdas_of(rounds, one_blob(961), 60);
  EXPECT_LE(lambdas.back(), 1.05);
  EXPECT_GT(rounds_until(lambdas, 1.05), 8u);
}

// --- Misuse --------------------------------------------------------------------------------------

TEST_F(GridRoundsTest, RefusesOptionsThatMakeNoSense) {
  const auto refused = [](const std::string& told, const auto& change) {
    GridRoundsOptions options;
    change(options);
    EXPECT_ERROR(GridRounds(even({3, {4, 2, 2}}), options), told);
  };
  refused("the largest width that fits is 0.25", [](auto& o) { o.least_width[0] = 0.3; });
  refused("The least width and the cell size along y must be finite and not negative.",
          [](auto& o) { o.cell_size[1] = -1; });
  refused("2 speeds came for 16 parts.", [](auto& o) { o.speeds = {1, 2}; });
  refused("A speed is zero, negative, NaN or infinite.", [](auto& o) { o.speeds.assign(16, 0.0); });
  refused("noise must be finite and not negative.", [](auto& o) { o.noise = -1; });
  refused("gamma must be finite and not negative.", [](auto& o) { o.gamma = -1; });
  EXPECT_ERROR(GridRounds(GridDomains(), {}), "a grid that has no domains");
}

TEST_F(GridRoundsTest, LearnsNothingFromWorkThatIsNone) {
  const Places places = two_blobs(971);
  GridRounds rounds(even(cube), {}), other(even(cube), {});
  for (int round = 0; round < 4; ++round) {
    const Work work = work_of(rounds.current(), places);
    for (const double none : {-1.0, std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::infinity()}) {
      Work wrong = work;
      wrong[63] = none;
      EXPECT_ERROR(rounds.next(wrong), "The work of part 63 is negative, NaN or infinite.");
    }
    EXPECT_ERROR(rounds.next(Work(63, 1.0)), "Work came for 63 parts, but there are 64.");
    ASSERT_EQ(rounds.next(work).borders(), other.next(work).borders());
    EXPECT_EQ(rounds.best_lambda(), other.best_lambda());
  }
}

// --- gather_work() -------------------------------------------------------------------------------

TEST(GatherWork, BringsWorkInTheOrderOfParts) {
  const Communicator communicator = test::world();
  const int size = communicator.size();
  std::vector<int> ranks(static_cast<std::size_t>(size));
  for (int part = 0; part < size; ++part) ranks[static_cast<std::size_t>(part)] = (part + 1) % size;
  const GridShape row = {1, {size, 1, 1}};
  const GridDomains turned = GridDomains::uniform(row, unit, GridScheme::staggered, {}, ranks);
  const Work work = gather_work(communicator, turned, 10.0 + communicator.rank());
  ASSERT_EQ(std::ssize(work), size);
  for (int part = 0; part < size; ++part)
    EXPECT_EQ(work[static_cast<std::size_t>(part)], 10 + (part + 1) % size);
}

TEST(GatherWork, RefusesTheSameOnAllRanks) {
  const Communicator communicator = test::world();
  const int last = communicator.size() - 1;
  const GridDomains grid = even({1, {communicator.size(), 1, 1}});
  EXPECT_ERROR_EVERYWHERE(gather_work(communicator, grid, communicator.rank() == last ? -1 : 1),
                          "The work of rank " + std::to_string(last) + " is negative");
  EXPECT_ERROR_EVERYWHERE(gather_work(communicator, even({1, {communicator.size() + 1, 1, 1}}), 1),
                          "ranks share");
}

}  // namespace
}  // namespace evenkeel::rounds_test
