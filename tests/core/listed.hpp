#pragma once

// Orders that tests make and read. They are lists on the host, whatever space is under test.

#include "support/harness.hpp"

#include <evenkeel/core/order.hpp>

namespace evenkeel::test {

struct Listed {
  std::vector<CurveKey> keys;
  std::vector<std::int64_t> objects;

  Order made_on(const Space& where) const {
    return {{where, "listed keys", std::span<const CurveKey>(keys)},
            {where, "listed objects", std::span<const std::int64_t>(objects)}};
  }
  operator Order() const { return made_on(space()); }  // NOLINT: for users of an order
};

inline Listed listed(const Order& order) { return {order.keys.on_host(), order.objects.on_host()}; }
inline std::vector<Listed> listed(std::span<const Order> orders) {
  std::vector<Listed> all;
  for (const Order& order : orders) all.push_back(listed(order));
  return all;
}

inline std::vector<Order> made(std::span<const Listed> lists) {
  std::vector<Order> orders;
  for (const Listed& list : lists) orders.push_back(list);
  return orders;
}

}  // namespace evenkeel::test
