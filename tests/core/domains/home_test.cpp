// Tests the objects that are surely at home by boxes and tables of cells. Compares them with the
// definition.

#include "core/domains/any.hpp"

#include "domains/home/home_test.hpp"
#include "domains/home/quick_box.hpp"

#include <evenkeel/core/field/standard.hpp>

namespace evenkeel::home_test {
namespace {

using test::Random;

const double infinity = std::numeric_limits<double>::infinity();

// Draws places on faces, beside them and anywhere, and values that are not finite.
double some_place(double lower, double upper, Random& random) {
  const double places[] = {lower,
                           upper,
                           std::nextafter(upper, lower),
                           std::nextafter(lower, lower - 1),
                           lower / 2 + upper / 2,
                           lower - 1,
                           infinity,
                           std::nan("")};
  return places[test::below(test::below(4, random) == 0 ? 8 : 5, random)];
}

template <class Real, std::size_t n>
void expect_suspects(std::size_t count, Random& random) {
  const Box box = {{-1, 0.5, 3}, {2, 4, 3.5}};
  std::vector<std::array<Real, n>> x(count);
  std::vector<std::int64_t> outside;
  for (std::size_t i = 0; i < count; ++i) {
    bool is_inside = true;
    const bool is_well_inside = test::below(3, random) > 0;
    for (std::size_t d = 0; d < n; ++d) {
      x[i][d] = static_cast<Real>(is_well_inside ? box.lower[d] + 0.25
                                                 : some_place(box.lower[d], box.upper[d], random));
      is_inside = is_inside && x[i][d] >= box.lower[d] && x[i][d] < box.upper[d];
    }
    if (!is_inside) outside.push_back(static_cast<std::int64_t>(i));
  }
  const Space host = Space::where(MemoryKind::host);
  const auto suspects = home_in_box(box)->suspects_among(host, set(x).position());
  EXPECT_EQ(suspects.on_host(), outside);
}

TEST(Home, InABoxAreAllButThoseOutside) {
  Random random(3);
  for (const std::size_t count : {0U, 1U, 15U, 64U, 1000U}) {
    expect_suspects<double, 2>(count, random);
    expect_suspects<double, 3>(count, random);
    expect_suspects<float, 3>(count, random);
  }
}

// The number along the curve of a cell of the coarser lattice.
template <int n>
std::uint64_t number_of(const Lattice& lattice, const CellTable& table,
                        const std::array<std::uint32_t, 3>& in_table) {
  Cell<n> cell;
  for (int axis = 0; axis < n; ++axis) {
    const auto d = static_cast<std::size_t>(axis);
    cell.at[axis] = (table.first[d] + in_table[d]) << table.coarser;
  }
  return lattice.key(cell).value >> (lattice.unused_bits() + n * table.coarser);
}

template <int n>
void expect_table(CurveKind kind, int levels, Random& random) {
  const Box box = {{0, 0, 0}, {1, 2, 1.5}};
  const Lattice lattice(n, box, {}, kind, levels);
  const std::uint64_t all = end_of_curve(n).value;
  const CurveKey begin = {random() % all}, end = {begin.value + random() % (all - begin.value)};
  const Space host = Space::where(MemoryKind::host);
  const auto table = finest_table(host, lattice, begin, end, 1000);
  if (!table) return;
  const int shift = lattice.unused_bits() + n * table->coarser;
  const auto is_own = table->is_own.on_host();
  std::uint64_t found = 0;
  std::array<std::uint32_t, 3> at = {};
  std::size_t k = 0;
  for (at[2] = 0; at[2] < table->extent[2]; ++at[2])
    for (at[1] = 0; at[1] < table->extent[1]; ++at[1])
      for (at[0] = 0; at[0] < table->extent[0]; ++at[0], ++k) {
        const std::uint64_t number = number_of<n>(lattice, *table, at);
        const bool is_whole = number << shift >= begin.value && (number + 1) << shift <= end.value;
        ASSERT_EQ(is_own[k] != 0, is_whole);
        found += is_whole ? 1 : 0;
      }
  // The table contains all whole cells of the range.
  const std::uint64_t first = (begin.value + (std::uint64_t{1} << shift) - 1) >> shift;
  EXPECT_EQ(found, (end.value >> shift) - first);

  const CurveDomains domains(1, n, box, {}, {{0}, begin, end, {all}}, {kind, levels});
  const Box inner = inner_box(*table, lattice, box, domains.boxes_of(1));
  if (!(inner.lower[0] < inner.upper[0])) return;
  for (int i = 0; i < 200; ++i) {
    test::Point point = {};
    for (std::size_t d = 0; d < n; ++d)
      point[d] = std::uniform_real_distribution<double>(inner.lower[d], inner.upper[d])(random);
    ASSERT_EQ(domains.owner_of(std::span(point).first(n)), 1);
  }
}

TEST(Home, ATableHasTheCellsThatARangeFillsAsAWhole) {
  Random random(9);
  for (const CurveKind kind : {CurveKind::hilbert, CurveKind::morton})
    for (const int levels : {0, 3, 9})
      for (int repeat = 0; repeat < 20; ++repeat) {
        expect_table<2>(kind, levels, random);
        expect_table<3>(kind, levels, random);
      }
}

}  // namespace
}  // namespace evenkeel::home_test
