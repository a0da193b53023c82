#include "domains/home/home_test.hpp"
#include "domains/home/quick_box.hpp"

#include <evenkeel/backends/exec/lists.hpp>

namespace evenkeel {

namespace {

template <class Real, int n>
struct IsOutsideBox {
  Places<Real> places;
  QuickBox<Real, n> box;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return !box.contains(places, i); }
  std::uint64_t word(std::int64_t first, int count) const {
    return box.word(places, first, count, *this);
  }
};

class InBox : public HomeTest {
 public:
  explicit InBox(const Box& box) : box_(box) {}

  exec::Array<std::int64_t> suspects_among(const Space& space,
                                           const FieldLayout& at) const override {
    return with_quick_box(
        box_, at, [&]<class Real, int n>(const Places<Real>& places, const QuickBox<Real, n>& box) {
          return exec::numbers_that(space, "evenkeel::domains::suspects", at.count,
                                    IsOutsideBox<Real, n>{places, box});
        });
  }

 private:
  Box box_;
};

}  // namespace

std::unique_ptr<HomeTest> home_in_box(const Box& box) { return std::make_unique<InBox>(box); }

}  // namespace evenkeel
