#include "drive/options/table.hpp"

namespace evenkeel::detail {

// The two that matter most come first.
const std::vector<Descriptor>& all_options() {
  static const std::vector<Descriptor> all = [] {
    const auto placing = placing_options(), deciding = deciding_options();
    std::vector<Descriptor> rows = {placing.front(), deciding.front()};
    for (const auto& rest : {placing.subspan(1), deciding.subspan(1), running_options()})
      rows.insert(rows.end(), rest.begin(), rest.end());
    return rows;
  }();
  return all;
}

}  // namespace evenkeel::detail
