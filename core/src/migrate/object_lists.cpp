#include "migrate/object_lists.hpp"

#include <evenkeel/backends/exec/launch.hpp>

namespace evenkeel {

namespace {

std::int64_t bytes_of(const std::vector<ObjectRange>& ranges) {
  return std::ssize(ranges) * static_cast<std::int64_t>(sizeof(ObjectRange));
}

std::int64_t list_bytes(std::int64_t objects) {
  return objects * static_cast<std::int64_t>(sizeof(std::int64_t));
}

constexpr const char* object_lists_label = "evenkeel::migrate::lists";

struct ListRange {
  const ObjectRange* ranges;
  std::int64_t* list;
  KOKKOS_FUNCTION void operator()(std::int64_t r) const {
    const ObjectRange& range = ranges[r];
    for (std::int64_t i = 0; i < range.count; ++i) list[range.from + i] = range.to + i;
  }
};

// Expands ranges into a list of places. Only the host uses ranges.
exec::Array<std::int64_t> listed(std::span<const ObjectRange> ranges, std::int64_t count) {
  const Space space = Space::where(MemoryKind::host);
  exec::Array<std::int64_t> list(space, object_lists_label, count);
  const ListRange write{ranges.data(), list.data()};
  exec::for_each(space, object_lists_label, std::ssize(ranges), write);
  space.fence(object_lists_label);
  return list;
}

// Returns true if a column needs a list of places even if the plan has ranges. Only fields on the
// host use ranges.
bool asks_for_places(const MessageColumn& column) {
  return column.is_payload() || column.memory != MemoryKind::host;
}

}  // namespace

std::int64_t ObjectLists::bytes(std::span<const MessageColumn> columns) const {
  std::int64_t bytes = 0;
  for (std::size_t s = 0; s < plan_.sets.size(); ++s) {
    const SetPlan& set = plan_.sets[s];
    bytes +=
        set.objects.bytes() + bytes_of(set.leaving) + bytes_of(set.landing) + set.places.bytes();
    for (const PayloadPlan& payload : set.payloads)
      bytes += payload.leaving.bytes() + payload.arriving.bytes();
    std::array<bool, memory_kinds> uses = {};
    bool lists_places = false;
    for (const MessageColumn& column : columns) {
      if (column.set != s) continue;
      uses[index_of(column.memory)] = true;
      lists_places = lists_places || asks_for_places(column);
    }
    for (std::size_t kind = 0; kind < memory_kinds; ++kind)
      if (uses[kind] &&
          !Space::where(static_cast<MemoryKind>(kind)).can_access(set.objects.memory()))
        bytes += list_bytes(set.count_before() + set.count_after);
    if (lists_places && set.places.empty()) bytes += list_bytes(set.count_after);
  }
  return bytes;
}

// If the plan gives the places of arrivals as ranges, a field on the host needs no list of places.
void ObjectLists::make(std::size_t set, std::span<const MessageColumn> columns) {
  const SetPlan& plan = plan_.sets[set];
  ListsOfSet& lists = lists_[set];
  const bool has_ranges = !plan.landing.empty();
  for (const MessageColumn& column : columns) {
    if (column.set != set) continue;
    const std::size_t kind = index_of(column.memory);
    const Space space = Space::where(column.memory);
    if (!lists.objects[kind]) lists.objects[kind].emplace(space, object_lists_label, plan.objects);
    if (lists.places[kind] || (has_ranges && !asks_for_places(column))) continue;
    if (has_ranges && lists.listed.empty()) lists.listed = listed(plan.landing, plan.count_after);
    lists.places[kind].emplace(space, object_lists_label, has_ranges ? lists.listed : plan.places);
  }
}

}  // namespace evenkeel
