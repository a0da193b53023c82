#include <evenkeel/core/graph/check.hpp>

#include "graph/stage.hpp"

#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/weights/load.hpp>

#include <cmath>

namespace evenkeel {

void check(const ByGraph& method) {
  if (!is_target_lambda(method.target_lambda))
    refuse("The target_lambda of the method graph is " + text_of(method.target_lambda) + '.',
           std::string("Give ") + target_lambdas + '.');
  for (const double cost : {method.moving_cost, method.edge_seconds})
    if (!(cost >= 0) || !std::isfinite(cost))
      refuse("moving_cost or edge_seconds of the method graph is " + text_of(cost) + '.',
             "Give finite numbers of at least 0.");
}

}  // namespace evenkeel
