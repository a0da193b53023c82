// Rounds that know the work of domains, and perhaps its centre, and nothing else.

#include "support/harness.hpp"

#include <evenkeel/core/boxes/rounds.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/weights/load.hpp>

namespace evenkeel::work_rounds_test {
namespace {

using Place = std::array<double, 3>;
using Places = std::vector<Place>;
using Measured = WorkRounds::Measured;

constexpr Box unit = {{0, 0, 0}, {1, 1, 1}};

// --- Clouds --------------------------------------------------------------------------------------

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}
  double uniform() { return std::uniform_real_distribution<double>()(random_); }
  double gaussian() { return std::normal_distribution<double>()(random_); }
  Place anywhere() { return {uniform(), uniform(), uniform()}; }
  Place near(const Place& centre, double width) {
    Place place;
    do
      for (std::size_t d = 0; d < 3; ++d) place[d] = centre[d] + width * gaussian();
    while (std::ranges::any_of(place, [](double x) { return x < 0 || x >= 1; }));
    return place;
  }

 private:
  std::mt19937_64 random_;
};

Place place_in(std::string_view cloud, Random& random) {
  if (cloud == "gauss") return random.near({0.5, 0.5, 0.5}, 0.12);
  if (cloud == "twin") {
    const double which = random.uniform();
    if (which < 0.45) return random.near({0.3, 0.35, 0.7}, 0.1);
    return which < 0.9 ? random.near({0.72, 0.6, 0.25}, 0.06) : random.anywhere();
  }
  if (cloud == "shell") {
    Place way = {random.gaussian(), random.gaussian(), random.gaussian()};
    const double length = std::hypot(way[0], way[1], way[2]);
    const double radius = 0.4 + 0.005 * random.gaussian();
    for (double& along : way) along = 0.5 + along / length * radius;
    return way;
  }
  Place place = random.anywhere();
  const double scale = cloud == "corner" && random.uniform() < 0.98 ? 0.02 : 1;
  for (double& along : place) along *= scale;
  return place;
}

Places cloud_of(std::string_view name, std::size_t count, unsigned seed) {
  Random random(seed);
  Places places;
  for (std::size_t i = 0; i < count; ++i) places.push_back(place_in(name, random));
  return places;
}

// --- Rounds --------------------------------------------------------------------------------------

// The oracle: the number of points in the domain of each owner, and their mean place.
std::vector<Measured> measured(const Domains& domains, const Places& places) {
  std::vector<Measured> all(static_cast<std::size_t>(parts_of(domains)));
  const auto dimensions = static_cast<std::size_t>(dimensions_of(domains));
  for (const Place& place : places) {
    Measured& its =
        all[static_cast<std::size_t>(owner_of(domains, std::span(place).first(dimensions)))];
    if (!its.centre) its.centre.emplace();
    for (std::size_t d = 0; d < dimensions; ++d) (*its.centre)[d] += place[d];
    ++its.work;
  }
  for (Measured& its : all)
    for (std::size_t d = 0; its.centre && d < dimensions; ++d) (*its.centre)[d] /= its.work;
  return all;
}

double lambda_under(const Domains& domains, const Places& places,
                    const std::vector<double>& speeds = {}) {
  std::vector<double> work;
  for (const Measured& its : measured(domains, places)) work.push_back(its.work);
  return lambda_of(work, speeds);
}

std::vector<Measured> on_rank(const WorkRounds& rounds, const Communicator& communicator,
                              const std::vector<Measured>& all) {
  const auto [first, end] = rounds.owners_on(communicator);
  return {all.begin() + first, all.begin() + end};
}

std::string text_of_division(const Domains& domains) {
  std::string text;
  const auto add = [&](auto number) { text += std::to_string(number) + ' '; };
  if (const auto* const cells = std::get_if<VoronoiDomains>(&domains))
    for (const PowerSite& site : cells->sites()) {
      for (const std::int32_t at : site.anchor) add(at);
      add(site.weight);
    }
  else
    for (const MeshVertex& vertex : std::get<MeshDomains>(domains).vertices())
      for (const std::int32_t at : vertex) add(at);
  for (const int rank : rank_of_part(domains)) add(rank);
  return text;
}

class WorkRoundsTest : public test::OnRanks {
 protected:
  WorkRounds::Start start(bool is_mesh, int parts) const {
    WorkRounds::Start begin = {.box = unit, .parts = parts};
    if (is_mesh) begin.mesh = std::array{0, 0, 0};
    return begin;
  }
  WorkRounds rounds(const WorkRounds::Start& begin, const GridRoundsOptions& options = {}) const {
    return {WorkRounds::even(communicator, begin, options), options};
  }
  void next(WorkRounds& rounds, std::vector<Measured> all, bool has_centres = true) const {
    if (!has_centres)
      for (Measured& its : all) its.centre.reset();
    rounds.next(communicator, on_rank(rounds, communicator, all));
  }
  // The lambdas of the first domains, and of each that follow, until they are even.
  std::vector<double> lambdas(WorkRounds& rounds, const Places& places, int count,
                              bool has_centres = true) const {
    std::vector<double> found;
    for (int round = 0; round <= count; ++round) {
      found.push_back(lambda_under(rounds.current(), places));
      if (found.back() <= 1.05) break;
      next(rounds, measured(rounds.current(), places), has_centres);
    }
    return found;
  }
};

TEST_F(WorkRoundsTest, BecomeEvenInAFewRounds) {
  for (const char* const cloud : {"uniform", "gauss", "twin", "shell", "corner"})
    for (const bool is_mesh : {false, true})
      for (const unsigned seed : {1U, 2U}) {
        if (seed > 1 && (size > 1 || test::is_sanitized)) continue;
        SCOPED_TRACE(std::string(cloud) + (is_mesh ? ", mesh" : ", voronoi"));
        const Places places = cloud_of(cloud, 20000, seed);
        WorkRounds some = rounds(start(is_mesh, 8));
        const std::vector<double> found = lambdas(some, places, 9);
        EXPECT_LE(found.back(), 1.05) << testing::PrintToString(found);
        EXPECT_TRUE(test::same_everywhere(communicator, text_of_division(some.current())));
        EXPECT_EQ(generation_of(some.current()), std::ssize(found));
      }
}

TEST_F(WorkRoundsTest, OneDomainForEachRank) {
  if (size == 1) GTEST_SKIP() << "takes two ranks";
  for (const bool is_mesh : {false, true}) {
    const Places places = cloud_of("twin", 20000, 3);
    WorkRounds some = rounds(start(is_mesh, size));
    const std::vector<double> found = lambdas(some, places, 9);
    EXPECT_LE(found.back(), 1.05) << testing::PrintToString(found);
  }
}

TEST_F(WorkRoundsTest, CentresAreNotNeeded) {
  const Places places = cloud_of("gauss", 20000, 4);
  for (const bool is_mesh : {false, true}) {
    WorkRounds some = rounds(start(is_mesh, 8));
    const std::vector<double> found = lambdas(some, places, 12, false);
    EXPECT_LE(found.back(), 1.05) << testing::PrintToString(found);
  }
}

TEST_F(WorkRoundsTest, InTwoDimensionsAndOnPeriodicAxes) {
  const Places places = cloud_of("gauss", 20000, 5);
  for (const bool is_mesh : {false, true})
    for (const int dimensions : {2, 3})
      for (const bool is_periodic : {false, true}) {
        WorkRounds::Start begin = start(is_mesh, 7);
        begin.dimensions = dimensions;
        begin.periodic = {is_periodic, is_periodic, is_periodic && dimensions == 3};
        WorkRounds some = rounds(begin);
        const std::vector<double> found = lambdas(some, places, 12);
        EXPECT_LE(found.back(), 1.05)
            << dimensions << is_periodic << is_mesh << ' ' << testing::PrintToString(found);
      }
}

// The number of domains is not that of ranks, or their ranks are named: then parts keep their
// numbers.
TEST_F(WorkRoundsTest, TheNumberOfRanksChangesNothing) {
  const Communicator self = Communicator::self();
  const Places places = cloud_of("twin", 5000, 6);
  for (const bool is_mesh : {false, true})
    for (const int parts : {size, 6}) {
      WorkRounds::Start begin = start(is_mesh, parts);
      WorkRounds alone(WorkRounds::even(self, begin, {}), {});
      if (parts == size)
        for (int part = 0; part < parts; ++part) begin.rank_of_part.push_back(part);
      WorkRounds some = rounds(begin);
      for (int round = 0; round < 3; ++round) {
        const std::vector<Measured> all = measured(some.current(), places);
        next(some, all);
        alone.next(self, all);
        Domains unnamed = alone.current();
        EXPECT_EQ(parts, parts_of(unnamed));
        EXPECT_EQ(lambda_under(some.current(), places), lambda_under(unnamed, places));
      }
    }
}

TEST_F(WorkRoundsTest, SpeedsCount) {
  const Places places = cloud_of("gauss", 20000, 7);
  for (const bool is_mesh : {false, true}) {
    WorkRounds::Start begin = start(is_mesh, size);
    for (int part = 0; part < size; ++part) begin.rank_of_part.push_back(size - 1 - part);
    GridRoundsOptions options;
    for (int part = 0; part < size; ++part) options.speeds.push_back(part == 0 ? 2 : 1);
    std::vector<double> of_ranks(options.speeds.rbegin(), options.speeds.rend());
    WorkRounds some = rounds(begin, options);
    for (int round = 0; round < 6; ++round) next(some, measured(some.current(), places));
    EXPECT_LE(lambda_under(some.best(), places, of_ranks), 1.05);
    EXPECT_NEAR(some.best_lambda(), lambda_under(some.best(), places, of_ranks), 1e-12);
    EXPECT_EQ(rank_of_part(some.current()), begin.rank_of_part);
  }
}

TEST_F(WorkRoundsTest, ADomainMayHaveAllWorkOrNone) {
  for (const bool is_mesh : {false, true}) {
    WorkRounds some = rounds(start(is_mesh, 6));
    next(some, std::vector<Measured>(6));
    EXPECT_EQ(generation_of(some.current()), 1) << "no work, nothing to do";
    EXPECT_EQ(some.best_lambda(), 0);
    const Places corner = [&] {
      Places places = cloud_of("uniform", 20000, 8);
      for (Place& place : places)
        for (double& along : place) along *= 0.1;
      return places;
    }();
    const std::vector<double> found = lambdas(some, corner, 12);
    EXPECT_NEAR(found.front(), 6, 1e-9) << "one domain has all";
    EXPECT_LE(found.back(), 1.05) << testing::PrintToString(found);
  }
}

TEST_F(WorkRoundsTest, TheBestIsKeptAndReturns) {
  WorkRounds some = rounds(start(false, 6));
  const Places places = cloud_of("twin", 20000, 9);
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 14; ++round) {
    const double lambda = lambda_under(some.current(), places);
    best = std::min(best, lambda);
    next(some, measured(some.current(), places));
    EXPECT_NEAR(some.best_lambda(), best, 1e-12);
    EXPECT_NEAR(lambda_under(some.best(), places), best, 1e-12);
  }
  EXPECT_LE(lambda_under(some.current(), places), best + 0.02);
}

// The work moves away, so that what was learned is wrong.
TEST_F(WorkRoundsTest, OtherWorkIsFollowed) {
  for (const bool is_mesh : {false, true}) {
    WorkRounds some = rounds(start(is_mesh, 8));
    for (const int place : {0, 1}) {
      Places places = cloud_of("gauss", 20000, 10);
      for (Place& at : places) at[0] = std::fmod(at[0] + 0.3 * place, 1);
      double least = 9;
      for (int round = 0; round < 8 && least > 1.05; ++round) {
        next(some, measured(some.current(), places));
        least = std::min(least, lambda_under(some.current(), places));
      }
      EXPECT_LE(least, 1.05) << place;
    }
  }
}

TEST_F(WorkRoundsTest, NoiseKeepsDomains) {
  WorkRounds some = rounds(start(false, 4), {.noise = 0.2});
  std::vector<Measured> all(4, Measured{1, std::nullopt});
  all[1].work = 1.3;
  next(some, all);
  EXPECT_EQ(generation_of(some.current()), 1);
  all[1].work = 4;
  next(some, all);
  EXPECT_EQ(generation_of(some.current()), 2);
}

TEST_F(WorkRoundsTest, ACopyContinuesAlike) {
  const Places places = cloud_of("shell", 5000, 11);
  WorkRounds some = rounds(start(false, 6));
  next(some, measured(some.current(), places));
  WorkRounds other = some;
  for (int round = 0; round < 3; ++round) {
    next(some, measured(some.current(), places));
    next(other, measured(other.current(), places));
    EXPECT_TRUE(is_same_division(some.current(), other.current()));
  }
}

TEST_F(WorkRoundsTest, MisuseIsTheSameErrorOnAllRanks) {
  WorkRounds some = rounds(start(false, 2 * size));
  std::vector<Measured> mine(2, Measured{1, std::nullopt});
  const auto expect_error = [&](const Measured& bad, const std::string& told) {
    std::vector<Measured> its = mine;
    if (rank == size - 1) its[1] = bad;
    EXPECT_ERROR_EVERYWHERE(some.next(communicator, its), told);
  };
  const std::string last = std::to_string(2 * size - 1);
  for (const double bad : {-1.0, std::nan(""), HUGE_VAL})
    expect_error({bad, std::nullopt}, "core/place: The work of rank " + last + " is negative, NaN");
  expect_error({1, Place{0.5, std::nan(""), 0.5}}, "The centre of work of rank " + last + " is ");
  const Box around = box_of_rank(some.current(), 2 * size - 1);
  expect_error({1, Place{around.lower[0], around.upper[1], 7}},
               "core/place: The centre of work of rank " + last +
                   " is 7 along z, which is outside of the box around its domain. Give the mean "
                   "place of the work in the domain, or no centre.");
  EXPECT_ERROR_EVERYWHERE(
      some.next(communicator, std::vector<Measured>(3)),
      "Work came for 3 domains, but this rank measures 2. Give the work of the domain of each "
      "owner on this rank.");
  EXPECT_EQ(generation_of(some.current()), 1);
  EXPECT_ERROR(WorkRounds(CurveDomains(1, 3, unit, {}, {{0}, end_of_curve(3)}), {}),
               "neither cells nor hexahedra");
  const Domains even = some.current();
  EXPECT_ERROR(WorkRounds(even, {.noise = -1}), "noise must be finite and not negative.");
  EXPECT_ERROR(WorkRounds(even, {.rule = GridRule::relaxation}), "Only grids have the rule");
  EXPECT_ERROR(WorkRounds(even, {.speeds = {1}}), "1 speeds came for");
  EXPECT_ERROR_EVERYWHERE(WorkRounds::even(communicator, {.dimensions = 1, .box = unit}, {}),
                          "Cells in 1 dimensions were asked for.");
  EXPECT_ERROR_EVERYWHERE(WorkRounds::even(communicator, {.box = unit, .parts = 0}, {}),
                          "0 domains were asked for.");
}

}  // namespace
}  // namespace evenkeel::work_rounds_test
