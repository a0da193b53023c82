#pragma once

// Lists of the items that belong to each of many owners.

#include "graph/levels/atomics.hpp"

#include <evenkeel/backends/exec/lists.hpp>

#include <cstdint>

namespace evenkeel::graphs {

namespace detail {

template <class Instance, class OwnersOf>
struct CountItems {
  OwnersOf owners_of;
  std::int64_t* counts;
  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    owners_of(item, [&](std::int64_t owner) { add<Instance>(&counts[owner], std::int64_t{1}); });
  }
};

template <class Instance, class Item, class OwnersOf>
struct ListItems {
  OwnersOf owners_of;
  std::int64_t* ends;  // by owner: the place of its next item
  Item* items;
  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    owners_of(item, [&](std::int64_t owner) {
      items[add<Instance>(&ends[owner], std::int64_t{1})] = static_cast<Item>(item);
    });
  }
};

}  // namespace detail

template <class Item>
struct ByOwner {
  exec::Array<std::int64_t> offsets;  // owners + 1 entries
  exec::Array<Item> items;            // the items of one owner are adjacent, in any order
};

// Lists the items in [0, count) by owner. owners_of(item, visit) must call visit(owner) for each
// owner of an item. Blocks.
template <class Item, class OwnersOf>
ByOwner<Item> by_owner(const Space& space, const char* label, std::int64_t owners,
                       std::int64_t count, const OwnersOf& owners_of) {
  // ends[o] is first the number of items of owner o, then the place of the first of them, and after
  // the last kernel the place after the last of them.
  ByOwner<Item> lists{exec::filled<std::int64_t>(space, label, owners + 1, 0), {}};
  if (owners == 0) return lists;
  std::int64_t* const ends = lists.offsets.data() + 1;
  with_space(space, [&](const auto& instance) {
    using Instance = std::remove_cvref_t<decltype(instance)>;
    exec::for_each(instance, label, count, detail::CountItems<Instance, OwnersOf>{owners_of, ends});
    const exec::Values<std::int64_t> counts{ends, owners};
    lists.items = {space, label, exec::exclusive_scan(instance, counts, counts)};
    exec::for_each(
        instance, label, count,
        detail::ListItems<Instance, Item, OwnersOf>{owners_of, ends, lists.items.data()});
    exec::fence(instance, label);
  });
  return lists;
}

}  // namespace evenkeel::graphs
