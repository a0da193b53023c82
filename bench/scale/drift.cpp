#include "drift.hpp"

#include <algorithm>

namespace evenkeel::scale {

Drift drift_between(const Cloud& now, const Splitters& before, const Splitters& after,
                    int ranks_per_node) {
  Drift drift;
  const std::size_t ranks = before.size() - 1;
  std::int64_t moved = 0, across = 0, partners = 0;
  std::size_t to = 0;
  for (std::size_t from = 0; from < ranks; ++from) {
    std::int64_t of_rank = 0;
    while (to + 1 < ranks && !(before[from] < after[to + 1])) ++to;
    for (std::size_t at = to; at < ranks && after[at] < before[from + 1]; ++at) {
      const CurveKey begin = std::max(before[from], after[at]);
      const CurveKey end = std::min(before[from + 1], after[at + 1]);
      if (at == from || !(begin < end)) continue;
      const std::int64_t objects = now.objects_before(end.value) - now.objects_before(begin.value);
      if (objects == 0) continue;
      moved += objects;
      const auto per_node = static_cast<std::size_t>(ranks_per_node);
      if (at / per_node != from / per_node) across += objects;
      ++of_rank;
    }
    partners += of_rank;
    drift.most_partners = std::max(drift.most_partners, of_rank);
  }
  const auto all = static_cast<double>(now.objects());
  drift.moved = static_cast<double>(moved) / all;
  drift.moved_across_nodes = static_cast<double>(across) / all;
  drift.partners = static_cast<double>(partners) / static_cast<double>(ranks);
  return drift;
}

}  // namespace evenkeel::scale
