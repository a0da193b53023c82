#include "field/copy.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/backends/exec/sort.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/field/staging.hpp>
#include <evenkeel/core/order.hpp>

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace evenkeel {

namespace {

constexpr const char* order_label = "evenkeel::order::indices";

// Computes keys and indices, and sorts them, in the memory of the positions. If indices have half
// the width, sorting is faster.
template <class Index>
Order order_with(const Space& space, const Lattice& lattice, const Set& set) {
  const std::int64_t count = set.count();
  Order sorted;
  sorted.keys = {space, "evenkeel::order::keys", count};
  const auto indices = exec::counted_up<Index>(space, order_label, count);
  write_keys(space, lattice, set, sorted.keys.data());
  exec::sort_pairs(space, reinterpret_cast<std::uint64_t*>(sorted.keys.data()), indices.data(),
                   count, {lattice.unused_bits(), curve_bits(lattice.dimensions())});
  sorted.objects = {space, "evenkeel::order::objects", count};
  exec::for_each(space, order_label, count, exec::Copy{indices.data(), sorted.objects.data()});
  space.fence(order_label);
  return sorted;
}

// --- Reorder -------------------------------------------------------------------------------------

// Marks each object that is in an order, and counts the entries that are not the number of an
// object.
struct Mark {
  const std::int64_t* objects;
  std::int64_t count;
  std::uint8_t* named;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    const std::int64_t object = objects[i];
    const bool is_object = object >= 0 && object < count;
    if (is_object) named[object] = 1;
    return is_object ? 0 : 1;
  }
};
struct IsMoved {
  const std::int64_t* objects;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return objects[i] == i ? 0 : 1; }
};

bool names_each(const exec::Array<std::int64_t>& objects) {
  const Space space = objects.space();
  const std::int64_t count = objects.size();
  const auto named = exec::filled<std::uint8_t>(space, "evenkeel::order::named", count, 0);
  const Mark mark{objects.data(), count, named.data()};
  return exec::sum<std::int64_t>(space, count, mark) == 0 &&
         exec::sum<std::int64_t>(space, count, exec::ValueAt{named.data()}) == count;
}

bool changes_nothing(const exec::Array<std::int64_t>& objects) {
  return exec::sum<std::int64_t>(objects.space(), objects.size(), IsMoved{objects.data()}) == 0;
}

void require_permutation(const Order& order, std::int64_t count) {
  const bool holds = order.objects.size() == count && (count == 0 || names_each(order.objects));
  if (!holds)
    Refusal{"core/order"}("An order of " + std::to_string(order.objects.size()) +
                              " objects does not name each of " + std::to_string(count) +
                              " objects once.",
                          "Use the order of this set, made after its objects last changed.");
}

// Copies a list of objects to each kind of memory that fields are in.
class ListsByMemory {
 public:
  explicit ListsByMemory(const exec::Array<std::int64_t>& objects) : objects_(objects) {}

  const std::int64_t* in(MemoryKind kind) {
    auto& reached = reached_[static_cast<std::size_t>(kind)];
    if (!reached) reached.emplace(Space::where(kind), "evenkeel::order::objects", objects_);
    return reached->data();
  }

 private:
  const exec::Array<std::int64_t>& objects_;
  std::array<std::optional<exec::Reached<std::int64_t>>, 3> reached_;
};

// Allocates new payloads for a set, and copies the values to them in the new order.
std::vector<std::unique_ptr<Payload::Staged>> reordered_payloads(const Set& set,
                                                                 ListsByMemory& lists) {
  std::vector<std::unique_ptr<Payload::Staged>> staged;
  const std::int64_t count = set.count();
  for (const auto& payload : set.payloads()) {
    const MemoryKind memory = payload->memory();
    const Space space = Space::where(memory);
    const std::int64_t* const objects = lists.in(memory);
    const exec::Array<std::int64_t> sizes(space, "evenkeel::order::sizes", count);
    payload->write_sizes(sizes.span());
    const auto ordered = exec::chosen(space, "evenkeel::order::sizes", sizes.data(),
                                      {objects, static_cast<std::size_t>(count)});
    const auto places = exec::counted_up<std::int64_t>(space, "evenkeel::order::places", count);
    space.fence(order_label);
    staged.push_back(payload->stage(count, ordered.span()));
    staged.back()->keep(objects, places.data(), count);
    space.fence("evenkeel::order::reorder");
  }
  return staged;
}

}  // namespace

Order stages::order(const Space& space, const Lattice& lattice, const Set& set) {
  const exec::Region shown("evenkeel::order");
  if (set.count() <= std::numeric_limits<std::uint32_t>::max())
    return order_with<std::uint32_t>(space, lattice, set);
  return order_with<std::uint64_t>(space, lattice, set);
}

void stages::reorder(const Set& set, const Order& order) {
  const exec::Region shown("evenkeel::reorder");
  check_movable(std::span(&set, 1));
  const std::int64_t count = set.count();
  require_permutation(order, count);
  const bool is_in_order = count == 0 || changes_nothing(order.objects);
  if (is_in_order) return;
  ListsByMemory lists(order.objects);
  StagedSet staged = stage(Space::where(set.position().memory), set, count, {});
  const std::vector<std::unique_ptr<Payload::Staged>> payloads = reordered_payloads(set, lists);
  for (std::size_t f = 0; f < staged.fields().size(); ++f) {
    const FieldLayout from = set.fields()[f].layout();
    const Space space = Space::where(from.memory);
    copy_chosen_objects(space, staged.fields()[f].layout(), nullptr, from, lists.in(from.memory),
                        count);
    space.fence("evenkeel::order::reorder");
  }
  staged.commit();
  for (const auto& payload : payloads) payload->commit();
}

}  // namespace evenkeel
