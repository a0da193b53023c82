#include <evenkeel/backends/error.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/extras/vtk.hpp>

#include <utility>

namespace evenkeel {

std::vector<DomainCell> cells_of(const Domains& domains, std::span<const double> work) {
  const Decomposition& all = decomposition_of(domains);
  if (!own_places(domains))
    throw Error(ErrorKind::bad_input, Where{"extras/vtk"},
                "The parts of a graph own objects, not regions of space.",
                "Draw domains that are cut along a curve or in boxes.");
  if (!work.empty() && std::ssize(work) != all.parts())
    throw Error(ErrorKind::bad_input, Where{"extras/vtk"},
                "The work of " + std::to_string(work.size()) + " parts was given, but there are " +
                    std::to_string(all.parts()) + " parts.",
                "Give the work of each part, or of no part.");
  std::vector<DomainCell> cells;
  for (int part = 0; part < all.parts(); ++part) {
    const double its_work = work.empty() ? 0 : work[static_cast<std::size_t>(part)];
    const DomainCell alike{{}, part, all.rank_of(part), its_work, {}};
    const auto add = [&](const Box& box, DomainShape shape) {
      cells.push_back(alike);
      cells.back().box = box;
      cells.back().shape = std::move(shape);
    };
    std::visit(
        [&](const auto& its) {
          if constexpr (requires { its.shapes_of(part); }) {
            for (DomainShape& shape : its.shapes_of(part)) add(its.box_of(part), std::move(shape));
          } else {
            for (const Box& box : boxes_of(domains, all.rank_of(part))) add(box, {});
          }
        },
        domains);
  }
  return cells;
}

}  // namespace evenkeel
