#include <evenkeel/core/domains/graph.hpp>

namespace evenkeel {

GraphDomains::GraphDomains(std::int64_t generation, std::int64_t division, int dimensions,
                           const Box& box, const std::array<bool, 3>& periodic, GraphReport report)
    : Decomposition(generation, report.parts, dimensions, box, periodic, {}),
      division_(division),
      report_(std::move(report)) {}

bool GraphDomains::divides_as(const GraphDomains& other) const noexcept {
  return parts() == other.parts() && division_ == other.division_;
}

}  // namespace evenkeel
