#pragma once

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/core/cut.hpp>
#include <evenkeel/core/place.hpp>

#include <vector>

namespace evenkeel {

// The keys of all sets, and the weights of the objects in the same order.
struct Keyed {
  std::vector<exec::Array<double>> weights;
  std::vector<WeightedKeys> sets;

  Keyed() = default;
  Keyed(const Prepared& prepared, Weights by_object) {
    for (std::size_t s = 0; s < prepared.orders.size(); ++s) {
      const Order& order = prepared.orders[s];
      exec::Array<double>& in_order = weights.emplace_back();
      const bool is_sorted = !order.objects.empty();
      if (!by_object[s].empty() && is_sorted)
        in_order = exec::chosen(prepared.space, "evenkeel::place::weights", by_object[s].data(),
                                order.objects);
      sets.push_back(
          {order.keys.span(), is_sorted ? in_order.span() : by_object[s], order.keys.memory()});
    }
  }
};

}  // namespace evenkeel
