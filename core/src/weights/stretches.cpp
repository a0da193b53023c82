#include "order/bisect.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/stretch.hpp>
#include <evenkeel/core/weights/stretches.hpp>

#include <cstddef>
#include <iterator>
#include <vector>

namespace evenkeel {

namespace {

constexpr const char* stretches_label = "evenkeel::weights::stretches";

struct AddStretch {
  const std::int64_t* begins;
  const double* of_object;  // by stretch: the cost of each of its objects
  std::int64_t stretches, objects;
  double mean;  // the cost of objects after the last stretch
  double* costs;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (i >= objects) {
      costs[i] += mean;
      return;
    }
    const std::int64_t* const all = begins;
    // If stretches begin at the same object, all but the last of them are empty.
    const std::int64_t after =
        count_before(stretches, [all, i](std::int64_t s) { return all[s] <= i; });
    costs[i] += of_object[after - 1];
  }
};

}  // namespace

void add_stretches(std::span<const double> stretches, std::int64_t objects,
                   const exec::Array<double>& costs) {
  const auto count = std::ssize(stretches);
  if (count == 0 || objects <= 0 || costs.empty()) return;
  std::vector<double> of_object(stretches.size());
  std::vector<std::int64_t> begins(stretches.size());
  double sum = 0;
  for (std::int64_t s = 0; s < count; ++s) {
    const auto at = static_cast<std::size_t>(s);
    begins[at] = stretch_begin(s, count, objects);
    const std::int64_t inside = stretch_begin(s + 1, count, objects) - begins[at];
    of_object[at] = inside > 0 ? stretches[at] / static_cast<double>(inside) : 0;
    sum += stretches[at];
  }
  const Space space = costs.space();
  const exec::Reached<std::int64_t> begins_there(space, stretches_label, begins);
  const exec::Reached<double> there(space, stretches_label, of_object);
  exec::for_each(space, stretches_label, costs.size(),
                 AddStretch{begins_there.data(), there.data(), count, objects,
                            sum / static_cast<double>(objects), costs.data()});
  space.fence(stretches_label);
}

}  // namespace evenkeel
