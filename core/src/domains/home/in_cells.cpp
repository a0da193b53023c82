#include "domains/home/home_test.hpp"
#include "domains/home/quick_box.hpp"

#include <evenkeel/backends/exec/lists.hpp>

#include <utility>

namespace evenkeel {

namespace {

// Tests if an object may be outside the own cells of a table. A box inside these cells is tested
// first, because that is faster.
template <class Real, int n>
struct IsOffTable {
  struct TableAxis {
    // The unit is a cell of the table, except for `period`: it is a lattice distance, and infinite
    // on an axis without a period.
    double cells_per_length, first, end, period;
    int extent;
  };
  Places<Real> places;
  QuickBox<Real, n> box;
  Lattice lattice;
  TableAxis axes[n];
  const unsigned char* is_own;

  // The code adds no floating-point numbers, because compilers may round sums in different ways.
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    bool inside = true;
    int cell = 0;
    for (int axis = n - 1; axis >= 0; --axis) {
      const TableAxis& along = axes[axis];
      const double distance = lattice.distance(axis, places.at(i, axis));
      const double at = distance * along.cells_per_length;
      const bool is_inside = (at >= along.first) & (at < along.end) & (distance < along.period);
      inside = inside & is_inside;
      cell = cell * along.extent + static_cast<int>(is_inside ? at : along.first) -
             static_cast<int>(along.first);
    }
    return !inside || is_own[cell] == 0;
  }
  std::uint64_t word(std::int64_t first, int count) const {
    return box.word(places, first, count, *this);
  }
};

class InCells : public HomeTest {
 public:
  InCells(const Lattice& lattice, CellTable table, const Box& inner)
      : lattice_(lattice), table_(std::move(table)), inner_(inner) {}

  exec::Array<std::int64_t> suspects_among(const Space& space,
                                           const FieldLayout& at) const override {
    return with_quick_box(
        inner_, at,
        [&]<class Real, int n>(const Places<Real>& places, const QuickBox<Real, n>& box) {
          IsOffTable<Real, n> is_off{places, box, lattice_, {}, table_.is_own.data()};
          for (int axis = 0; axis < n; ++axis) {
            const auto d = static_cast<std::size_t>(axis);
            const double period = lattice_.period(axis);
            // If the box is not a cube, the curve continues beyond its upper face.
            const double last = std::ldexp(lattice_.last_coordinate(axis) + 1.0, -table_.coarser);
            const double first = table_.first[d], extent = table_.extent[d];
            is_off.axes[axis] = {std::ldexp(lattice_.cells_per_length(axis), -table_.coarser),
                                 first, std::min(first + extent, last),
                                 period > 0 ? period : std::numeric_limits<double>::infinity(),
                                 static_cast<int>(table_.extent[d])};
          }
          return exec::numbers_that(space, "evenkeel::domains::suspects", at.count, is_off);
        });
  }

 private:
  Lattice lattice_;
  CellTable table_;
  Box inner_;
};

}  // namespace

std::unique_ptr<HomeTest> home_in_cells(const Lattice& lattice, CellTable table, const Box& inner) {
  return std::make_unique<InCells>(lattice, std::move(table), inner);
}

}  // namespace evenkeel
