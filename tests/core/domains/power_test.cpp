// The search for power diagrams, on one process.

#include "domains/power/measure.hpp"
#include "domains/power/starts.hpp"

#include "core/values.hpp"

#include <evenkeel/core/curve.hpp>

namespace evenkeel::power_test {
namespace {

using Place = std::array<double, 3>;
using Random = std::mt19937_64;

constexpr Box unit = {{0, 0, 0}, {1, 1, 1}};

// Points in the order of the Hilbert curve.
struct Cloud {
  Lattice lattice;
  std::vector<std::pair<Place, double>> points;

  Cloud(std::vector<Place> places, const std::vector<double>& masses, int dimensions = 3,
        const std::array<bool, 3>& periodic = {})
      : lattice(power_lattice(dimensions, unit, periodic)) {
    std::vector<std::pair<std::uint64_t, std::size_t>> order;
    for (std::size_t i = 0; i < places.size(); ++i) {
      Cell<3> cell;
      for (int axis = 0; axis < 3; ++axis) {
        const auto d = static_cast<std::size_t>(axis);
        cell.at[axis] = axis < dimensions ? lattice.coordinate(axis, places[i][d]) : 0;
        places[i][d] = cell.at[axis];
      }
      order.emplace_back(HilbertCurve<3>()(cell).value, i);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [key, i] : order)
      points.emplace_back(places[i], masses.empty() ? 1 : masses[i]);
  }
  PowerModel model() const {
    PowerModel model(lattice);
    for (const auto& [place, mass] : points) model.add(place, mass);
    model.finish();
    return model;
  }
};

// The part of a point, by definition.
int part_of(const Lattice& lattice, std::span<const PowerSite> sites, const Place& place) {
  const std::vector<PowerRival> rivals = rivals_of(lattice, sites);
  const auto best =
      std::min_element(rivals.begin(), rivals.end(), [&](const PowerRival& a, const PowerRival& b) {
        return a.cost(place.data()) < b.cost(place.data());
      });
  return best->part;
}

std::vector<double> masses_in(const Cloud& cloud, std::span<const PowerSite> sites) {
  std::vector<double> masses(sites.size());
  for (const auto& [place, mass] : cloud.points)
    masses[static_cast<std::size_t>(part_of(cloud.lattice, sites, place))] += mass;
  return masses;
}

double lambda_of_masses(const std::vector<double>& masses) {
  double sum = 0, greatest = 0;
  for (const double mass : masses) {
    sum += mass;
    greatest = std::max(greatest, mass);
  }
  return greatest * static_cast<double>(masses.size()) / sum;
}

std::vector<double> alike(std::size_t parts) { return std::vector<double>(parts, 1.0); }

std::vector<Place> random_places(const std::string& name, std::size_t count, Random& random) {
  std::uniform_real_distribution<double> even(0, 1);
  std::normal_distribution<double> normal;
  std::vector<Place> places(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t d = 0; d < 3; ++d) {
      double& at = places[i][d];
      if (name == "uniform") at = even(random);
      if (name == "gauss") at = 0.5 + 0.1 * normal(random);
      if (name == "corner") at = std::pow(even(random), 6);
      if (name == "plane") at = d == 1 ? 0.3 : even(random);
      if (name == "line") at = d == 2 ? even(random) : 0.5;
      if (name == "diagonal") at = d == 0 ? even(random) : places[i][0];
    }
  return places;
}
constexpr const char* clouds[] = {"uniform", "gauss", "corner", "plane", "line", "diagonal"};

TEST(Power, MassesAreThoseOfTheOwners) {
  Random random(1);
  for (const bool is_periodic : {false, true}) {
    const Cloud cloud(random_places("gauss", 3000, random), {}, 3, {is_periodic, false, true});
    const PowerModel model = cloud.model();
    const PowerDiagram found = new_diagram(model, alike(20), 0.005);
    const PowerMeasure now = measure(model, found.sites, 0.2);
    EXPECT_EQ(now.mass, masses_in(cloud, found.sites));
    EXPECT_FALSE(now.faces.empty());
    const PowerCells cells(cloud.lattice, found.sites);
    const PowerOwner owner = cells.owner();
    for (const auto& [place, mass] : cloud.points)
      ASSERT_EQ(owner.rivals[owner(place.data())].part, part_of(cloud.lattice, found.sites, place));
  }
}

TEST(Power, CellsOfAllCloudsAreEven) {
  Random random(2);
  for (const char* const name : clouds)
    for (const std::size_t parts : {1U, 2U, 3U, 12U, 40U})
      for (const bool is_periodic : {false, true}) {
        SCOPED_TRACE(std::string(name) + ", parts: " + std::to_string(parts));
        const Cloud cloud(random_places(name, 200 * parts, random), {}, 3,
                          {is_periodic, is_periodic, is_periodic});
        PowerDiagram found = new_diagram(cloud.model(), alike(parts), 0.005);
        settle(cloud.model(), found, 1.005);
        const std::vector<double> masses = masses_in(cloud, found.sites);
        EXPECT_LE(lambda_of_masses(masses), 1.0051);
        EXPECT_GT(std::ranges::min(masses), 0);
      }
}

// No cell may hold more points than the average, rounded up, and no cell may be empty.
TEST(Power, FewPointsForEachCell) {
  Random random(3);
  for (const std::size_t parts : {1U, 2U, 5U, 16U})
    for (std::size_t count = parts; count <= 4 * parts + 3; ++count) {
      SCOPED_TRACE(std::to_string(count) + " points for " + std::to_string(parts));
      const Cloud cloud(random_places("uniform", count, random), {});
      PowerDiagram found = new_diagram(cloud.model(), alike(parts), 0.005);
      settle(cloud.model(), found, 1);
      const std::vector<double> masses = masses_in(cloud, found.sites);
      EXPECT_EQ(std::ranges::max(masses), static_cast<double>((count + parts - 1) / parts));
      EXPECT_GT(std::ranges::min(masses), 0);
    }
}

TEST(Power, FewerPointsThanCells) {
  Random random(4);
  for (std::size_t count = 1; count < 12; ++count) {
    const Cloud cloud(random_places("uniform", count, random), {});
    const PowerDiagram found = new_diagram(cloud.model(), alike(12), 0.005);
    const std::vector<double> masses = masses_in(cloud, found.sites);
    EXPECT_EQ(std::ranges::max(masses), 1);
    EXPECT_EQ(std::count(masses.begin(), masses.end(), 0), static_cast<std::ptrdiff_t>(12 - count));
  }
}

// A point that outweighs an average cell gets a cell with few other points.
TEST(Power, HeavyPoints) {
  Random random(5);
  for (const std::size_t heavy : {1U, 2U, 5U}) {
    std::vector<Place> places = random_places("uniform", 4000, random);
    std::vector<double> masses(places.size(), 1);
    for (std::size_t i = 0; i < heavy; ++i) masses[i] = 400;
    const Cloud cloud(places, masses);
    PowerDiagram found = new_diagram(cloud.model(), alike(20), 0.005);
    EXPECT_EQ(found.heavy, heavy);
    settle(cloud.model(), found, 1);
    EXPECT_LE(std::ranges::max(masses_in(cloud, found.sites)), 440);
  }
}

// A diagram that follows slowly moving points moves little of the mass.
TEST(Power, ADiagramFollowsItsPoints) {
  Random random(6);
  std::vector<Place> places = random_places("gauss", 6000, random);
  PowerDiagram now = new_diagram(Cloud(places, {}).model(), alike(16), 0.005);
  for (int step = 0; step < 5; ++step) {
    for (Place& place : places) place[0] = std::min(place[0] + 0.005, 1.0);
    const Cloud cloud(places, {});
    const std::vector<PowerSite> last = now.sites;
    const std::optional<PowerDiagram> next = followed(cloud.model(), last, alike(16), 0.005);
    ASSERT_TRUE(next);
    now = *next;
    EXPECT_FALSE(now.is_new);
    EXPECT_LE(lambda_of_masses(masses_in(cloud, now.sites)), 1.02);
    std::size_t moved = 0;
    for (const auto& [place, mass] : cloud.points)
      moved += part_of(cloud.lattice, last, place) != part_of(cloud.lattice, now.sites, place);
    EXPECT_LT(moved, places.size() / 8);
  }
  const Cloud cloud(random_places("corner", 6000, random), {});
  EXPECT_FALSE(followed(cloud.model(), now.sites, alike(16), 0.005));
}

// --- Cells of different speeds -------------------------------------------------------------------

double lambda_of_times(std::vector<double> masses, const std::vector<double>& speeds) {
  double sum = 0, speed = 0, greatest = 0;
  for (std::size_t p = 0; p < masses.size(); ++p) {
    sum += masses[p];
    speed += speeds[p];
    greatest = std::max(greatest, masses[p] / speeds[p]);
  }
  return greatest * speed / sum;
}

// 1, 2, 4, 8, 1, 2, ..., sorted.
std::vector<double> in_classes(std::size_t parts) {
  std::vector<double> speeds;
  for (std::size_t p = 0; p < parts; ++p) speeds.push_back(static_cast<double>(1U << p % 4));
  std::ranges::sort(speeds);
  return speeds;
}

TEST(Power, MassesAreProportionalToSpeeds) {
  Random random(7);
  for (const char* const name : clouds)
    for (const std::size_t parts : {2U, 5U, 12U, 40U}) {
      SCOPED_TRACE(std::string(name) + ", parts: " + std::to_string(parts));
      const Cloud cloud(random_places(name, 400 * parts, random), {});
      const std::vector<double> speeds = in_classes(parts);
      PowerDiagram found = new_diagram(cloud.model(), speeds, 0.005);
      settle(cloud.model(), found, 1.01);
      EXPECT_LE(lambda_of_times(masses_in(cloud, found.sites), speeds), 1.0101);
    }
}

TEST(Power, FewPointsAreInTheFastestCells) {
  Random random(8);
  const std::vector<double> speeds = in_classes(12);
  for (std::size_t count = 1; count < 12; ++count) {
    const Cloud cloud(random_places("uniform", count, random), {});
    const std::vector<double> masses =
        masses_in(cloud, new_diagram(cloud.model(), speeds, 0.005).sites);
    for (std::size_t p = 0; p < masses.size(); ++p) EXPECT_EQ(masses[p], p < 12 - count ? 0 : 1);
  }
}

TEST(Power, TheHeaviestPointIsInTheFastestCell) {
  Random random(9);
  std::vector<Place> places = random_places("uniform", 4000, random);
  std::vector<double> masses(places.size(), 1);
  masses[0] = 4000;
  masses[1] = 8000;
  const Cloud cloud(places, masses);
  const std::vector<double> speeds = {1, 1, 1, 1, 1, 1, 4, 8};
  PowerDiagram found = new_diagram(cloud.model(), speeds, 0.005);
  EXPECT_EQ(found.heavy, 2U);
  settle(cloud.model(), found, 1);
  EXPECT_LE(lambda_of_times(masses_in(cloud, found.sites), speeds), 1.2);
}

}  // namespace
}  // namespace evenkeel::power_test
