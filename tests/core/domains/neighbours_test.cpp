#include "core/domains/any.hpp"

#include <evenkeel/core/domains.hpp>

namespace evenkeel::neighbours_test {
namespace {

using test::periodic_of;
using test::Random;

constexpr Box unit = {{0, 0, 0}, {1, 1, 1}};
constexpr double tolerance = 1e-9;

// --- The oracle: cells so fine that each has one owner -------------------------------------------

class Cells {
 public:
  // `side` is the length of a cell along every axis.
  Cells(const Domains& domains, double side) : domains_(domains) {
    const Box& box = box_of(domains);
    for (std::size_t d = 0; d < 3; ++d) {
      faces_[d] = {0, 1};
      if (d >= static_cast<std::size_t>(dimensions_of(domains))) continue;
      faces_[d] = {box.lower[d]};
      for (int k = 1; box.lower[d] + k * side < box.upper[d]; ++k)
        faces_[d].push_back(box.lower[d] + k * side);
      faces_[d].push_back(box.upper[d]);
      is_flat_[d] = test::is_flat(box, d);
    }
    for_each([&](const Index& at) { owners_.push_back(owner_at(at)); });
  }

  double volume_of(int rank) const {
    double volume = 0;
    for_each([&](const Index& at) {
      if (owner(at) == rank) volume += size(at, std::nullopt);
    });
    return volume;
  }

  // Sums up the shared faces with each neighbour, by definition.
  std::map<int, double> neighbours_of(int rank) const {
    std::map<int, double> faces;
    for_each([&](const Index& at) {
      if (owner(at) != rank) return;
      for (int code = 0; code < 27; ++code) {
        Index next = at;
        int steps = 0;
        std::size_t across = 0;
        bool exists = true;
        for (std::size_t d = 0; d < 3; ++d) {
          const int step = (d == 0 ? code : d == 1 ? code / 3 : code / 9) % 3 - 1;
          if (step == 0) continue;
          ++steps;
          across = d;
          exists = exists && moved(next, d, step);
        }
        if (!exists || steps == 0 || owner(next) == rank) continue;
        faces[owner(next)] += steps == 1 ? size(at, across) : 0;
      }
    });
    return faces;
  }

 private:
  using Index = std::array<int, 3>;
  int cells(std::size_t d) const { return static_cast<int>(faces_[d].size()) - 1; }

  template <class Function>
  void for_each(const Function& function) const {
    Index at;
    for (at[2] = 0; at[2] < cells(2); ++at[2])
      for (at[1] = 0; at[1] < cells(1); ++at[1])
        for (at[0] = 0; at[0] < cells(0); ++at[0]) function(at);
  }
  int owner(const Index& at) const {
    return owners_[static_cast<std::size_t>((at[2] * cells(1) + at[1]) * cells(0) + at[0])];
  }
  int owner_at(const Index& at) const {
    std::array<double, 3> middle = {};
    for (std::size_t d = 0; d < 3; ++d) {
      const auto k = static_cast<std::size_t>(at[d]);
      middle[d] = (faces_[d][k] + faces_[d][k + 1]) / 2;
    }
    return owner_of(domains_, std::span<const double>(middle).first(
                                  static_cast<std::size_t>(dimensions_of(domains_))));
  }
  bool moved(Index& at, std::size_t d, int step) const {
    if (is_flat_[d] || d >= static_cast<std::size_t>(dimensions_of(domains_))) return false;
    at[d] += step;
    if (at[d] >= 0 && at[d] < cells(d)) return true;
    at[d] = at[d] < 0 ? cells(d) - 1 : 0;
    return periodic_of(domains_)[d];
  }
  // Returns the volume of a cell, or the area of its face across an axis.
  double size(const Index& at, std::optional<std::size_t> across) const {
    double product = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      const auto k = static_cast<std::size_t>(at[d]);
      if (d != across && !is_flat_[d]) product *= faces_[d][k + 1] - faces_[d][k];
    }
    return product;
  }

  const Domains& domains_;
  std::array<std::vector<double>, 3> faces_;
  std::array<bool, 3> is_flat_ = {};
  std::vector<int> owners_;
};

double volume_of(const Domains& domains, const Box& box) {
  double volume = 1;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_of(domains)); ++d)
    if (!test::is_flat(box_of(domains), d)) volume *= box.upper[d] - box.lower[d];
  return volume;
}

void expect_as_by_cells(const Domains& domains, double side) {
  SCOPED_TRACE(test::description(domains));
  const Cells cells(domains, side);
  for (int rank = 0; rank < parts_of(domains); ++rank) {
    SCOPED_TRACE("rank " + std::to_string(rank));
    double volume = 0;
    for (const Box& box : boxes_of(domains, rank)) volume += volume_of(domains, box);
    ASSERT_NEAR(volume, cells.volume_of(rank), tolerance);
    const std::map<int, double> expected = cells.neighbours_of(rank);
    const std::vector<Neighbour> found = neighbours_of(domains, rank);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; const auto& [other, face] : expected) {
      ASSERT_EQ(found[k].rank, other);
      ASSERT_NEAR(found[k++].shared_face, face, tolerance) << "with rank " << other;
    }
  }
}

TEST(Neighbours, OfRangesOfACurve) {
  Random random(1);
  for (const CurveKind kind : {CurveKind::hilbert, CurveKind::morton, CurveKind::snake})
    for (const int dimensions : {2, 3})
      for (int repeat = 0; repeat < 30; ++repeat) {
        const int levels = 1 + test::below(dimensions == 2 ? 4 : 3, random);
        const CurveDomains curve = test::random_curve(kind, dimensions, levels, random);
        double longest = 0;
        for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d)
          longest = std::max(longest, curve.box().upper[d] - curve.box().lower[d]);
        expect_as_by_cells(curve, longest / (1 << levels));
        if (HasFatalFailure()) return;
      }
}

TEST(Neighbours, OfBoxes) {
  Random random(2);
  constexpr double eighth = 0.125;
  for (const int kind : {3, 4, 5})
    for (int repeat = 0; repeat < 30; ++repeat) {
      expect_as_by_cells(test::random_domains(kind, 2, random), eighth);
      if (HasFatalFailure()) return;
    }
  for (const int kind : {3, 4, 5})
    for (int tried = 0; tried < 10;) {
      const Domains domains = test::random_domains(kind, 3, random);
      if (volume_of(domains, box_of(domains)) > 30) continue;  // thousands of cells are enough
      expect_as_by_cells(domains, eighth);
      if (HasFatalFailure()) return;
      ++tried;
    }
}

// The owners on both sides of a border must be neighbours.
void expect_neighbours_at_borders(const Domains& domains,
                                  const std::map<std::pair<int, int>, double>& faces,
                                  Random& random) {
  const auto n = static_cast<std::size_t>(dimensions_of(domains));
  const auto owner_at = [&](const test::Point& place) {
    return owner_of(domains, std::span(place).first(n));
  };
  for (int i = 0; i < 200; ++i) {
    test::Point here = {}, there = {};
    for (std::size_t d = 0; d < n; ++d)
      for (double* const place : {&here[d], &there[d]})
        *place = test::eighths(box_of(domains).lower[d], box_of(domains).upper[d], random);
    if (owner_at(here) == owner_at(there)) continue;
    for (int halvings = 0; halvings < 19; ++halvings) {
      test::Point middle = {};
      for (std::size_t d = 0; d < n; ++d) middle[d] = (here[d] + there[d]) / 2;
      (owner_at(middle) == owner_at(here) ? here : there) = middle;
    }
    ASSERT_TRUE(faces.contains({owner_at(here), owner_at(there)}))
        << owner_at(here) << ' ' << owner_at(there);
  }
}

TEST(Neighbours, OfCellsOfADiagram) {
  Random random(3);
  for (const int dimensions : {2, 3})
    for (int repeat = 0; repeat < 50; ++repeat) {
      const Domains domains = test::random_voronoi(dimensions, 1 + test::below(12, random), random);
      SCOPED_TRACE(test::description(domains));
      std::map<std::pair<int, int>, double> faces;
      for (int rank = 0; rank < parts_of(domains); ++rank) {
        int last = -1;
        for (const Neighbour& other : neighbours_of(domains, rank)) {
          ASSERT_GT(other.rank, last);
          last = other.rank;
          faces[{rank, other.rank}] = other.shared_face;
        }
      }
      expect_neighbours_at_borders(domains, faces, random);
      for (const auto& [pair, face] : faces)
        ASSERT_NEAR(face, (faces[{pair.second, pair.first}]), 1e-5 * (1 + face));
      if (HasFatalFailure()) return;
    }
}

TEST(Neighbours, OfAMesh) {
  Random random(4);
  for (const int dimensions : {2, 3})
    for (int repeat = 0; repeat < 50; ++repeat) {
      const Domains domains = test::random_mesh(dimensions, random);
      SCOPED_TRACE(test::description(domains));
      std::map<std::pair<int, int>, double> faces;
      for (int rank = 0; rank < parts_of(domains); ++rank)
        for (const Neighbour& other : neighbours_of(domains, rank))
          faces[{rank, other.rank}] = other.shared_face;
      expect_neighbours_at_borders(domains, faces, random);
      for (const auto& [pair, face] : faces)
        ASSERT_NEAR(face, (faces[{pair.second, pair.first}]), 1e-12 * (1 + face));
      if (HasFatalFailure()) return;
    }
}

// --- By hand -------------------------------------------------------------------------------------

// A mesh that divides the unit cube evenly.
MeshDomains even_mesh(const std::array<bool, 3>& periodic) {
  constexpr std::int32_t third = (1 << mesh_levels) / 3;
  std::vector<MeshVertex> vertices;
  for (int v = 0; v < 64; ++v) {
    const std::array<int, 3> at = GridShape{3, {4, 4, 4}}.at(v);
    MeshVertex& vertex = vertices.emplace_back();
    for (std::size_t d = 0; d < 3; ++d) vertex[d] = at[d] == 3 ? 1 << mesh_levels : at[d] * third;
  }
  return MeshDomains(1, {3, {3, 3, 3}}, unit, periodic, std::move(vertices));
}

TEST(Neighbours, OfAMeshByHand) {
  const Domains mesh = even_mesh({});
  EXPECT_EQ(neighbours_of(mesh, 13).size(), 26U) << "in the middle";
  EXPECT_EQ(neighbours_of(mesh, 0).size(), 7U);
  EXPECT_NEAR(neighbours_of(mesh, 0).at(0).shared_face, 1. / 9, 1e-5);
  EXPECT_EQ(neighbours_of(mesh, 0).at(2).shared_face, 0) << "an edge";
  EXPECT_EQ(neighbours_of(even_mesh({true, true, true}), 0).size(), 26U);
}

TEST(Neighbours, OfSitesByHand) {
  constexpr std::int32_t quarter = 1 << (power_levels - 2);
  const Domains squares = VoronoiDomains(1, 2, unit, {},
                                         {{{quarter, quarter, 0}},
                                          {{3 * quarter, quarter, 0}},
                                          {{quarter, 3 * quarter, 0}},
                                          {{3 * quarter, 3 * quarter, 0}}});
  const std::vector<Neighbour> corner = neighbours_of(squares, 0);
  ASSERT_EQ(corner.size(), 3U);
  EXPECT_NEAR(corner[0].shared_face, 0.5, 1e-6);
  EXPECT_NEAR(corner[1].shared_face, 0.5, 1e-6);
  EXPECT_NEAR(corner[2].shared_face, 0, 1e-6);
  const Domains halves =
      VoronoiDomains(1, 3, unit, {}, {{{quarter, quarter, 0}}, {{3 * quarter, 3 * quarter, 0}}});
  EXPECT_NEAR(neighbours_of(halves, 1).at(0).shared_face, std::sqrt(2), 1e-6);
  // the first cell is between two images of the second one
  const Domains around = VoronoiDomains(1, 3, unit, {true, false, false},
                                        {{{quarter, quarter, 0}}, {{3 * quarter, quarter, 0}}});
  EXPECT_NEAR(neighbours_of(around, 0).at(0).shared_face, 2, 1e-6);
}

TEST(Neighbours, OfAPlainGrid) {
  const Domains grid = GridDomains::uniform({2, {2, 2, 1}}, unit, GridScheme::tensor);
  EXPECT_EQ(neighbours_of(grid, 0), (std::vector<Neighbour>{{1, 0.5}, {2, 0.5}, {3, 0}}));
  EXPECT_EQ(box_of_rank(grid, 3).lower[0], 0.5);
  EXPECT_EQ(box_of_rank(grid, 0).upper[1], 0.5);
}

// The two domains touch each other on both sides.
TEST(Neighbours, AcrossAPeriodicAxisFacesCountTwice) {
  const Domains grid =
      GridDomains::uniform({3, {2, 1, 1}}, unit, GridScheme::tensor, {true, false, false});
  EXPECT_EQ(neighbours_of(grid, 0), (std::vector<Neighbour>{{1, 2}}));
}

// The curve orders the quarters of the plane: lower left, upper left, upper right, ...
TEST(Neighbours, OfQuartersOfACurve) {
  const std::uint64_t quarter = end_of_curve(2).value / 4;
  const Domains curve = CurveDomains(
      1, 2, unit, {}, {{0}, {quarter}, {2 * quarter}, {3 * quarter}, {4 * quarter}}, {}, {});
  EXPECT_EQ(boxes_of(curve, 0).size(), 1U);
  EXPECT_EQ(box_of_rank(curve, 2).lower[0], 0.5);
  EXPECT_EQ(box_of_rank(curve, 2).lower[1], 0.5);
  EXPECT_EQ(neighbours_of(curve, 0), (std::vector<Neighbour>{{1, 0.5}, {2, 0}, {3, 0.5}}));
}

// Cells that touch only at an edge share no face, however large they are.
TEST(Neighbours, OfCellsOfAGreatDiagram) {
  constexpr double most = std::numeric_limits<double>::max();
  constexpr std::int32_t quarter = 1 << (power_levels - 2);
  std::vector<PowerSite> sites;
  for (const std::int32_t x : {quarter, 3 * quarter})
    for (const std::int32_t y : {quarter, 3 * quarter}) sites.push_back({{x, y, 0}});
  const Domains squares =
      VoronoiDomains(1, 3, {{-most, -most, -most}, {most, most, most}}, {}, sites);
  const std::vector<Neighbour> found = neighbours_of(squares, 0);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_GT(found[0].shared_face, most);
  EXPECT_GT(found[1].shared_face, most);
  EXPECT_FALSE(std::isnan(found[2].shared_face));
}

// In this box, lengths and areas overflow.
TEST(Neighbours, InABoxBetweenTheGreatestNumbers) {
  constexpr double most = std::numeric_limits<double>::max();
  const Box box = {{-most, -most, -most}, {most, most, most}};
  const std::uint64_t eighth = end_of_curve(3).value / 8;
  Splitters splitters;
  for (std::uint64_t part = 0; part <= 8; ++part) splitters.push_back({part * eighth});
  const Domains curve = CurveDomains(1, 3, box, {}, splitters, {}, {});
  for (int rank = 0; rank < 8; ++rank) {
    int faces = 0, others = 0;
    for (const Neighbour& neighbour : neighbours_of(curve, rank)) {
      ASSERT_TRUE(neighbour.shared_face >= 0) << neighbour.shared_face;
      ++(neighbour.shared_face > 0 ? faces : others);
    }
    EXPECT_EQ(faces, 3);
    EXPECT_EQ(others, 4);
  }
}

// The domain in the middle owns a single number along x.
TEST(Neighbours, OfADomainAsThinAsCanBe) {
  for (const double lower : {1.0, std::nextafter(1.0, 2.0)}) {
    const double upper = std::nextafter(lower, 2.0);
    const GridBorders borders = {.axes = {0, 1, 2},
                                 .levels = {{{0, lower, upper, 3}, {0, 1, 0, 1, 0, 1}, {}}}};
    const Domains grid = GridDomains(1, {2, {3, 1, 1}}, {{0, 0, 0}, {3, 1, 0}}, {}, borders);
    EXPECT_EQ(boxes_of(grid, 1).size(), 1U);
    EXPECT_FALSE(neighbours_of(grid, 1).empty());
  }
}

// A fraction of the extent of the box would be 0.
TEST(Neighbours, InTheSmallestOfBoxes) {
  constexpr double least = std::numeric_limits<double>::denorm_min();
  const Box box = {{0, 0, 0}, {4 * least, 4 * least, 0}};
  const GridBorders borders = {
      .axes = {0, 1, 2}, .levels = {{{0, 2 * least, 4 * least}, {0, 4 * least, 0, 4 * least}, {}}}};
  const Domains grid = GridDomains(1, {2, {2, 1, 1}}, box, {}, borders);
  ASSERT_EQ(neighbours_of(grid, 0).size(), 1U);
  ASSERT_EQ(neighbours_of(grid, 1).size(), 1U);
}

TEST(Neighbours, OfWhoOwnsNothing) {
  const Domains curve = CurveDomains(1, 2, unit, {}, {{0}, {0}, end_of_curve(2)}, {}, {});
  EXPECT_TRUE(boxes_of(curve, 0).empty());
  EXPECT_TRUE(neighbours_of(curve, 0).empty());
  EXPECT_ERROR(box_of_rank(curve, 0), "Rank 0 owns no place");
  EXPECT_EQ(box_of_rank(curve, 1), unit);
  EXPECT_ERROR(boxes_of(curve, 2), "The domain of rank 2 of 2");
  EXPECT_ERROR(neighbours_of(Domains(), 0), "No rank owns anything yet.");
}

}  // namespace
}  // namespace evenkeel::neighbours_test
