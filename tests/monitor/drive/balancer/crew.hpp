#pragma once

// The requirements after each call of a balancer. Every object must exist once and complete, on the
// rank that the decomposition names, and all ranks must return the same.

#include "core/migrate/cloud.hpp"

#include <evenkeel/core/field/kokkos_view.hpp>
#include <evenkeel/core/weights.hpp>
#include <evenkeel/core/weights/load.hpp>
#include <evenkeel/monitor/balancer.hpp>

namespace evenkeel::test {

// --- Objects -------------------------------------------------------------------------------------

inline const std::array<Method, 9> all_methods = {Hilbert{},   Morton{}, Snake{},
                                                  Staggered{}, Tensor{}, RecursiveBisection{},
                                                  Voronoi{},   Mesh{},   Auto{.halo = 0.1}};

inline Vectors cloud_of(const Ids& ids, const Scene& scene = everywhere) {
  Vectors cloud(ids.size());
  write_objects(cloud.as_set(), scene, ids);
  return cloud;
}

// Positions of any kind, and ids.
template <class Position>
struct Numbered {
  std::vector<Position> x;
  Ids id;
  explicit Numbered(std::size_t n) : x(n), id(n) {}
  Set as_set() { return set(x, carry(id)); }
};

using Point = std::array<double, 3>;

// Places in the unit cube.
inline double place_of(std::int64_t id, int axis) {
  return static_cast<double>(mix(id, axis) % 100003) / 100003;
}
inline std::vector<Point> places_of(const Ids& ids) {
  std::vector<Point> places;
  for (const std::int64_t id : ids)
    places.push_back({place_of(id, 0), place_of(id, 1), place_of(id, 2)});
  return places;
}

// --- Looking at sets -----------------------------------------------------------------------------

template <class Real>
std::vector<Point> points_as(const FieldLayout& at) {
  const std::vector<Real> values = values_at<Real>(at);
  const auto components = static_cast<std::size_t>(at.components);
  std::vector<Point> points(static_cast<std::size_t>(at.count), Point{});
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t d = 0; d < components; ++d)
      points[i][d] = static_cast<double>(values[components * i + d]);
  return points;
}

inline std::vector<Point> points_of(const Set& set) {
  const FieldLayout at = set.position();
  return at.scalar == ScalarType::float32 ? points_as<float>(at) : points_as<double>(at);
}

// The weights of the owned objects. If no weights are given, all are 1.
inline std::vector<double> weights_of(const Set& set) {
  if (set.options().weight.given()) return given_weights(space_of(set), set).on_host();
  return std::vector<double>(static_cast<std::size_t>(set.count()), 1.0);
}

// Collective. The ids are sorted.
inline Ids ids_everywhere(const Communicator& communicator, const Ids& mine) {
  Ids all = communicator.all_gather(std::span<const std::int64_t>(mine)).values;
  std::ranges::sort(all);
  return all;
}

// The weight of all sets: on ranks; in single places, which no cut divides; and in planes with one
// common coordinate, which no border divides.
struct Load {
  double average = 0, most = 0, heaviest_place = 0, heaviest_plane = 0;
  double lambda() const { return average > 0 ? most / average : 1; }
};

// Collective.
inline Load load_of(const Communicator& communicator, std::span<const Set> sets) {
  struct Heavy {
    Point point;
    double weight;
  };
  std::vector<Heavy> mine;
  for (const Set& set : sets) {
    const std::vector<Point> points = points_of(set);
    const std::vector<double> weights = weights_of(set);
    for (std::size_t i = 0; i < points.size(); ++i) mine.push_back({points[i], weights[i]});
  }
  const auto all = communicator.all_gather(std::span<const Heavy>(mine));
  Load load;
  std::map<Point, double> at;
  std::map<std::pair<std::size_t, double>, double> planes;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    double sum = 0;
    for (const Heavy& object : all.of_rank(rank)) {
      sum += object.weight;
      at[object.point] += object.weight;
      for (std::size_t axis = 0; axis < 3; ++axis)
        planes[{axis, object.point[axis]}] += object.weight;
    }
    load.most = std::max(load.most, sum);
    load.average += sum / communicator.size();
  }
  for (const auto& [point, weight] : at)
    load.heaviest_place = std::max(load.heaviest_place, weight);
  for (const auto& [plane, weight] : planes)
    load.heaviest_plane = std::max(load.heaviest_plane, weight);
  return load;
}

// --- Agreement of ranks --------------------------------------------------------------------------

template <class T>
std::string bytes_as_text(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}
template <class... T>
std::string bytes_of_all(const T&... values) {
  return (bytes_as_text(std::span<const T>(&values, 1)) + ...);
}

// The domains of a Balancer that cuts along a curve.
inline const CurveDomains& curve_of(const Balancer& balancer) {
  return std::get<CurveDomains>(balancer.domains());
}

// All bits of the decomposition.
inline std::string text_of(const CurveDomains& decomposition) {
  const Box& box = decomposition.box();
  return bytes_of_all(decomposition.generation(), decomposition.dimensions(), box.lower,
                      box.upper) +
         bytes_as_text(std::span(decomposition.splitters()));
}

inline std::string text_of(const Domains& domains) {
  if (const auto* curve = std::get_if<CurveDomains>(&domains)) return text_of(*curve);
  std::string text = bytes_of_all(generation_of(domains), dimensions_of(domains),
                                  box_of(domains).lower, box_of(domains).upper);
  if (const auto* tree = std::get_if<TreeDomains>(&domains)) {
    for (const Bisection& node : tree->nodes())
      text += bytes_of_all(node.border, node.axis, node.middle);
    return text;
  }
  if (const auto* voronoi = std::get_if<VoronoiDomains>(&domains)) {
    for (const PowerSite& site : voronoi->sites()) text += bytes_of_all(site.anchor, site.weight);
    return text;
  }
  if (const auto* mesh = std::get_if<MeshDomains>(&domains))
    return text + bytes_as_text(std::span(mesh->vertices()));
  if (const auto* graph = std::get_if<GraphDomains>(&domains)) {
    const GraphReport& report = graph->report();
    return text + bytes_of_all(graph->division(), report.vertices, report.edges, report.cut);
  }
  for (const auto& level : std::get<GridDomains>(domains).borders().levels)
    text += bytes_as_text(std::span(level));
  return text;
}

// The members of a report that are the same on all ranks and do not depend on clocks.
inline std::string text_of(const MoveReport& report) {
  return bytes_of_all(report.moved, report.generation, report.objects, report.bytes, report.lambda);
}

// Collective.
inline void expect_agreed(const Communicator& communicator, const Balancer& balancer,
                          const MoveReport& report) {
  EXPECT_TRUE(same_everywhere(communicator, text_of(balancer.domains())));
  EXPECT_TRUE(same_everywhere(communicator, text_of(report)));
  EXPECT_EQ(report.generation, generation_of(balancer.domains()));
  EXPECT_EQ(report.moved, report.objects > 0);
  EXPECT_EQ(communicator.all_reduce(report.sent, Reduction::sum), report.objects);
  EXPECT_EQ(communicator.all_reduce(report.received, Reduction::sum), report.objects);
  EXPECT_EQ(report.partners > 0, report.sent + report.received > 0);
  for (const auto& [stage, seconds] : report.seconds) EXPECT_GE(seconds, 0) << stage;
  EXPECT_TRUE(!report.moved || !report.seconds.empty());
}

// --- Requirements on objects ---------------------------------------------------------------------

// Expects every object of this rank to be at the owner of its place.
inline void expect_at_owners(const Balancer& balancer, const Set& set) {
  const Domains& domains = balancer.domains();
  const auto dimensions = static_cast<std::size_t>(dimensions_of(domains));
  std::int64_t strays = 0;
  for (const Point& point : points_of(set))
    if (owner_of(domains, std::span(point).first(dimensions)) != rank()) ++strays;
  EXPECT_EQ(strays, 0) << "of " << set.count() << " objects";
}

// Collective. Expects each of `ids` to be on some rank, with every byte.
inline void expect_intact(const Communicator& communicator, const Set& set, const Scene& scene,
                          const Ids& ids) {
  const Ids here = ids_in(set);
  expect_objects(set, scene, here);
  EXPECT_EQ(ids_everywhere(communicator, here), ids);
}

// The allowed excess of a part over the average. Borders of boxes depend on each other, and each
// may be off by a plane. The rows of a tensor grid are independent, so it has no bound; nor has a
// mesh. Cells of a power diagram cannot isolate each heavy place.
inline double allowed_above_average(const Domains& domains, const Load& load) {
  if (std::holds_alternative<CurveDomains>(domains)) return load.heaviest_place;
  if (std::holds_alternative<TreeDomains>(domains))
    return load.heaviest_plane * std::bit_width(static_cast<unsigned>(parts_of(domains) - 1));
  if (std::holds_alternative<VoronoiDomains>(domains))
    return 0.15 * load.average + 2 * load.heaviest_place;
  constexpr double no_bound = std::numeric_limits<double>::max() / 2;
  if (std::holds_alternative<MeshDomains>(domains)) return no_bound;
  const auto& grid = std::get<GridDomains>(domains);
  return grid.borders().scheme == GridScheme::staggered ? load.heaviest_plane * grid.dimensions()
                                                        : no_bound;
}

// Collective. Expects the best balance that a cut can reach, up to rounding.
inline void expect_even(const Communicator& communicator, const Balancer& balancer,
                        std::span<const Set> sets, const MoveReport& report) {
  const Load load = load_of(communicator, sets);
  const double off = allowed_above_average(balancer.domains(), load);
  EXPECT_LE(load.most, (load.average + off) * (1 + 1e-12));
  EXPECT_NEAR(report.lambda, load.lambda(), 1e-9);
}

// Collective. Checks all requirements, after a rebalance that measured nothing.
inline void expect_balanced(const Communicator& communicator, const Balancer& balancer,
                            std::span<const Set> sets, const MoveReport& report) {
  expect_agreed(communicator, balancer, report);
  expect_even(communicator, balancer, sets, report);
  for (const Set& set : sets) {
    expect_at_owners(balancer, set);
    EXPECT_NO_THROW(check_movable(set));
  }
}

}  // namespace evenkeel::test
