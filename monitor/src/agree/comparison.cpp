#include "agree/comparison.hpp"

#include <evenkeel/backends/error.hpp>

#include <algorithm>
#include <string>

namespace evenkeel {

void Comparison::combine(Comparison& into, const Comparison& from) noexcept {
  detail::Ballot::combine(into.ballot, from.ballot);
  into.undecided += from.undecided;
  for (std::size_t i = 0; i < items; ++i) {
    into.least[i] = std::min(into.least[i], from.least[i]);
    into.greatest[i] = std::max(into.greatest[i], from.greatest[i]);
  }
}

void Comparison::require_equal() const {
  constexpr const char* names[items] = {"the number of the step", "the generation", "the options",
                                        "what was observed", "the decision"};
  std::string different;
  for (std::size_t i = 0; i < items; ++i)
    if (least[i] != greatest[i])
      different += (different.empty() ? "" : ", ") + std::string(names[i]);
  if (different.empty()) return;
  throw Error(ErrorKind::disagreement, Where{"monitor/epoch"},
              "The ranks do not agree on " + different + ". Nothing was moved.",
              "Call step the same number of times on all ranks; a rule of your own must depend on "
              "its arguments alone. Balancing is off from here on.");
}

}  // namespace evenkeel
