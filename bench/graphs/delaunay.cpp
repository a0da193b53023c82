#include "delaunay.hpp"

#include "../clouds.hpp"
#include "graph.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <type_traits>

namespace evenkeel::bench::graphs {
namespace {

__extension__ using Wide = __int128;

// --- Predicates ----------------------------------------------------------------------------------
// Each determinant is written once for three types of numbers: doubles, whole numbers, and the
// absolute values of doubles, which yield a bound of the error.

// The absolute value of a number. A difference adds absolute values, as a sum does.
struct Magnitude {
  double value;
  friend Magnitude operator*(Magnitude a, Magnitude b) { return {a.value * b.value}; }
  friend Magnitude operator+(Magnitude a, Magnitude b) { return {a.value + b.value}; }
  friend Magnitude operator-(Magnitude a, Magnitude b) { return {a.value + b.value}; }
};

template <class Number, int n>
using Row = std::array<Number, n>;

template <class Number>
Number determinant(const std::array<Row<Number, 2>, 2>& m) {
  return m[0][0] * m[1][1] - m[1][0] * m[0][1];
}
template <class Number>
Number determinant(const std::array<Row<Number, 3>, 3>& m) {
  return m[0][2] * (m[1][0] * m[2][1] - m[2][0] * m[1][1]) +
         m[1][2] * (m[2][0] * m[0][1] - m[0][0] * m[2][1]) +
         m[2][2] * (m[0][0] * m[1][1] - m[1][0] * m[0][1]);
}

template <class Number, int n>
Number square(const Row<Number, n>& row) {
  Number sum = row[0] * row[0];
  for (int axis = 1; axis < n; ++axis) sum = sum + row[axis] * row[axis];
  return sum;
}

// The rows are relative to a point. If they are positively oriented, the result is positive if the
// point is inside their circumcircle or circumsphere.
template <class Number>
Number lifted_determinant(const std::array<Row<Number, 2>, 3>& m) {
  return square<Number, 2>(m[0]) * (m[1][0] * m[2][1] - m[2][0] * m[1][1]) +
         square<Number, 2>(m[1]) * (m[2][0] * m[0][1] - m[0][0] * m[2][1]) +
         square<Number, 2>(m[2]) * (m[0][0] * m[1][1] - m[1][0] * m[0][1]);
}
template <class Number>
Number lifted_determinant(const std::array<Row<Number, 3>, 4>& m) {
  const auto minor = [&](int a, int b) { return m[a][0] * m[b][1] - m[b][0] * m[a][1]; };
  const Number ab = minor(0, 1), bc = minor(1, 2), cd = minor(2, 3), da = minor(3, 0),
               ac = minor(0, 2), bd = minor(1, 3);
  const Number abc = m[0][2] * bc - m[1][2] * ac + m[2][2] * ab;
  const Number bcd = m[1][2] * cd - m[2][2] * bd + m[3][2] * bc;
  const Number cda = m[2][2] * da + m[3][2] * ac + m[0][2] * cd;
  const Number dab = m[3][2] * ab + m[0][2] * bd + m[1][2] * da;
  return (square<Number, 3>(m[3]) * abc - square<Number, 3>(m[2]) * dab) +
         (square<Number, 3>(m[1]) * cda - square<Number, 3>(m[0]) * bcd);
}

template <class Number, int n, std::size_t rows>
std::array<Row<Number, n>, rows> converted(const std::array<Row<double, n>, rows>& from) {
  std::array<Row<Number, n>, rows> to;
  for (std::size_t r = 0; r < rows; ++r)
    for (int axis = 0; axis < n; ++axis)
      if constexpr (std::is_same_v<Number, Magnitude>)
        to[r][axis] = {std::abs(from[r][axis])};
      else
        to[r][axis] = static_cast<Number>(from[r][axis]);
  return to;
}

// Differences of lattice points are exact, and no chain of operations above is longer than 12. So
// the error is below 12 half units in the last place of the magnitude. The factor 16 also covers
// the rounding of the magnitude.
template <class Determinant, class Rows>
int sign_of(const Determinant& determinant_of, const Rows& rows) {
  constexpr int n = std::tuple_size_v<typename Rows::value_type>;
  constexpr double relative_error = 16 * 0x1p-53;
  const double rounded = determinant_of(rows);
  const double error = relative_error * determinant_of(converted<Magnitude, n>(rows)).value;
  if (rounded > error) return 1;
  if (rounded < -error) return -1;
  const Wide exact = determinant_of(converted<Wide, n>(rows));
  return exact > 0 ? 1 : exact < 0 ? -1 : 0;
}

template <int n>
Row<double, n> difference(const LatticePoint<n>& a, const LatticePoint<n>& b) {
  Row<double, n> result;
  for (int axis = 0; axis < n; ++axis) result[axis] = a[axis] - b[axis];
  return result;
}

// --- Triangulation -------------------------------------------------------------------------------

// The order of insertion: the last round has half of the points, the round before it a quarter, and
// so on.
template <int n>
std::vector<std::int32_t> insertion_order(std::span<const LatticePoint<n>> points) {
  std::vector<double> places;
  places.reserve(n * points.size());
  for (const LatticePoint<n>& point : points)
    places.insert(places.end(), point.begin(), point.end());
  const std::vector<std::uint64_t> keys = curve_keys(n, places);
  std::vector<int> rounds(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double uniform = clouds::Random(n, static_cast<std::int64_t>(i)).uniform();
    rounds[i] = std::max(-30, std::ilogb(1 - uniform));
  }
  std::vector<std::int32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    return std::tuple(rounds[i], keys[i], a) < std::tuple(rounds[j], keys[j], b);
  });
  return order;
}

template <int n>
class Triangulation {
 public:
  explicit Triangulation(std::span<const LatticePoint<n>> points)
      : points_(points.begin(), points.end()) {
    const auto first = static_cast<std::int32_t>(points.size());
    const double side = static_cast<double>(1 << lattice_bits<n>);
    Simplex<n> great;
    for (int c = 0; c <= n; ++c) {
      // The last corner is the origin. Relative to it, the others are positively oriented.
      LatticePoint<n> corner = {};
      if (c < n) corner[static_cast<std::size_t>(c)] = side;
      points_.push_back(corner);
      great.corners[static_cast<std::size_t>(c)] = first + c;
      great.neighbours[static_cast<std::size_t>(c)] = none;
    }
    simplices_.push_back(great);
    visits_.push_back(0);
  }

  void insert(std::int32_t point) {
    start_ = simplex_with(point);
    if (!contains_in_sphere(start_, point)) return;  // the point repeats a corner
    collect_cavity(point);
    fill_cavity(point);
    link_star();
  }

  // The simplices without free slots.
  std::vector<Simplex<n>> result() const {
    std::vector<std::int32_t> number(simplices_.size());
    for (const std::int32_t slot : free_) number[static_cast<std::size_t>(slot)] = none;
    std::int32_t count = 0;
    for (std::int32_t& slot : number)
      if (slot != none) slot = count++;
    std::vector<Simplex<n>> result;
    result.reserve(static_cast<std::size_t>(count));
    for (std::size_t s = 0; s < simplices_.size(); ++s) {
      if (number[s] == none) continue;
      result.push_back(simplices_[s]);
      for (std::int32_t& neighbour : result.back().neighbours)
        if (neighbour >= 0) neighbour = number[static_cast<std::size_t>(neighbour)];
    }
    return result;
  }

  // Ends the program unless simplices are positively oriented, agree on their neighbours, and fill
  // the great simplex exactly.
  void check(std::span<const Simplex<n>> simplices) const {
    Wide volume = 0;
    for (std::size_t s = 0; s < simplices.size(); ++s) {
      const Wide size = determinant(converted<Wide, n>(edges_of(simplices[s].corners)));
      if (size <= 0) fail("a simplex is not positively oriented");
      volume += size;
      for (const std::int32_t neighbour : simplices[s].neighbours)
        if (neighbour >= 0 &&
            std::ranges::count(simplices[static_cast<std::size_t>(neighbour)].neighbours,
                               static_cast<std::int32_t>(s)) != 1)
          fail("two simplices do not agree that they are neighbours");
    }
    if (volume != Wide{1} << (n * lattice_bits<n>)) fail("the simplices do not fill the great one");
  }

 private:
  static constexpr std::int32_t none = -1;
  struct Facet {
    std::int32_t simplex;  // in the cavity
    int opposite;          // the corner that is not in the facet
    std::int32_t outer;    // the simplex on the other side, or `none`
    std::int32_t of_star;  // the new simplex on this facet
  };

  Simplex<n>& at(std::int32_t simplex) { return simplices_[static_cast<std::size_t>(simplex)]; }
  const Simplex<n>& at(std::int32_t simplex) const {
    return simplices_[static_cast<std::size_t>(simplex)];
  }
  const LatticePoint<n>& place(std::int32_t point) const {
    return points_[static_cast<std::size_t>(point)];
  }

  // A simplex that contains the point, inside or on its border. Walks across facets that separate
  // the present simplex from the point. In a Delaunay triangulation such a walk never returns to a
  // simplex.
  std::int32_t simplex_with(std::int32_t point) const {
    std::int32_t current = start_, previous = none;
    for (int turn = 0;;) {
      const Simplex<n>& simplex = at(current);
      std::int32_t next = none;
      for (int f = 0; f <= n; ++f) {
        const int facet = (f + turn) % (n + 1);
        const std::int32_t neighbour = simplex.neighbours[static_cast<std::size_t>(facet)];
        if (neighbour < 0 || neighbour == previous || !is_beyond(simplex, facet, point)) continue;
        next = neighbour;
        break;
      }
      if (next == none) return current;
      previous = current;
      current = next;
      turn = (turn + 1) % (n + 1);
    }
  }
  bool is_beyond(const Simplex<n>& simplex, int facet, std::int32_t point) const {
    std::array<std::int32_t, n + 1> corners = simplex.corners;
    corners[static_cast<std::size_t>(facet)] = point;
    return sign_of([](const auto& m) { return determinant(m); }, edges_of(corners)) < 0;
  }
  // The vectors from the last corner to the others.
  std::array<Row<double, n>, n> edges_of(const std::array<std::int32_t, n + 1>& corners) const {
    std::array<Row<double, n>, n> rows;
    for (std::size_t r = 0; r < n; ++r)
      rows[r] = difference<n>(place(corners[r]), place(corners[n]));
    return rows;
  }
  bool contains_in_sphere(std::int32_t simplex, std::int32_t point) const {
    std::array<Row<double, n>, n + 1> rows;
    for (int r = 0; r <= n; ++r)
      rows[static_cast<std::size_t>(r)] =
          difference<n>(place(at(simplex).corners[static_cast<std::size_t>(r)]), place(point));
    return sign_of([](const auto& m) { return lifted_determinant(m); }, rows) > 0;
  }

  void collect_cavity(std::int32_t point) {
    visits_of_inside_ += 2;
    cavity_.assign(1, start_);
    facets_.clear();
    visits_[static_cast<std::size_t>(start_)] = visits_of_inside_;
    for (std::size_t next = 0; next < cavity_.size(); ++next)
      for (int f = 0; f <= n; ++f) {
        const std::int32_t outer = at(cavity_[next]).neighbours[static_cast<std::size_t>(f)];
        if (outer >= 0) {
          std::int64_t& visit = visits_[static_cast<std::size_t>(outer)];
          if (visit == visits_of_inside_) continue;
          if (visit != visits_of_inside_ + 1) {
            visit = visits_of_inside_ + (contains_in_sphere(outer, point) ? 0 : 1);
            if (visit == visits_of_inside_) {
              cavity_.push_back(outer);
              continue;
            }
          }
        }
        facets_.push_back({cavity_[next], f, outer, none});
      }
  }

  // Replaces the cavity by new simplices, and sets their neighbours outside of the cavity. For
  // link_star(), which sets the neighbours among new simplices, it marks the facets of the cavity:
  // their neighbour becomes -2 - number of the new simplex.
  void fill_cavity(std::int32_t point) {
    for (Facet& facet : facets_) {
      if (free_.empty()) {
        free_.push_back(static_cast<std::int32_t>(simplices_.size()));
        simplices_.emplace_back();
        visits_.push_back(0);
      }
      facet.of_star = free_.back();
      free_.pop_back();
      Simplex<n>& simplex = at(facet.of_star);
      simplex.corners = at(facet.simplex).corners;
      const auto opposite = static_cast<std::size_t>(facet.opposite);
      simplex.corners[opposite] = point;
      simplex.neighbours[opposite] = facet.outer;
      if (facet.outer >= 0)
        *std::ranges::find(at(facet.outer).neighbours, facet.simplex) = facet.of_star;
    }
    for (const Facet& facet : facets_)
      at(facet.simplex).neighbours[static_cast<std::size_t>(facet.opposite)] = -2 - facet.of_star;
  }

  // Links new simplices. Two of them meet at a ridge that two facets of the cavity share. To find
  // the second one, turns around the ridge through the cavity.
  void link_star() {
    for (const Facet& facet : facets_)
      for (int f = 0; f <= n; ++f)
        if (f != facet.opposite)
          at(facet.of_star).neighbours[static_cast<std::size_t>(f)] =
              across_cavity(facet.simplex, facet.opposite, f);
    start_ = facets_.front().of_star;
    free_.insert(free_.end(), cavity_.begin(), cavity_.end());
  }
  std::int32_t across_cavity(std::int32_t simplex, int from, int leave) const {
    while (true) {
      const Simplex<n>& here = at(simplex);
      const std::int32_t next = here.neighbours[static_cast<std::size_t>(leave)];
      if (next < 0) return -2 - next;
      const auto index = [](const auto& all, std::int32_t one) {
        return static_cast<int>(std::ranges::find(all, one) - all.begin());
      };
      leave = index(at(next).corners, here.corners[static_cast<std::size_t>(from)]);
      from = index(at(next).neighbours, simplex);
      simplex = next;
    }
  }

  std::vector<LatticePoint<n>> points_;
  std::vector<Simplex<n>> simplices_;
  std::vector<std::int32_t> free_;
  std::int32_t start_ = 0;

  // The last insertion marks a simplex with this number if it is inside the cavity, and with the
  // next number if it is outside.
  std::int64_t visits_of_inside_ = 0;
  std::vector<std::int64_t> visits_;
  std::vector<std::int32_t> cavity_;
  std::vector<Facet> facets_;
};

}  // namespace

template <int n>
std::vector<Simplex<n>> delaunay(std::span<const LatticePoint<n>> points) {
  for (const LatticePoint<n>& point : points)
    for (const double place : point)
      if (!(place > 0 && place < lattice_end<n> && place == std::floor(place)))
        fail("a point is not on the lattice");
  Triangulation<n> triangulation(points);
  for (const std::int32_t point : insertion_order<n>(points)) triangulation.insert(point);
  std::vector<Simplex<n>> simplices = triangulation.result();
  triangulation.check(simplices);
  return simplices;
}

template std::vector<Simplex<2>> delaunay<2>(std::span<const LatticePoint<2>>);
template std::vector<Simplex<3>> delaunay<3>(std::span<const LatticePoint<3>>);

}  // namespace evenkeel::bench::graphs
