// Who sends which objects to whom.

#include <evenkeel/backends/comm/sparse_exchange.hpp>
#include <evenkeel/core/migrate.hpp>

#include <algorithm>
#include <string>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/migrate";

// What one rank tells another: so many objects of this set will come.
struct Announcement {
  std::int64_t set, objects;
};

struct Conservation {
  std::int64_t before = 0, after = 0, sent = 0, received = 0;
};

void combine(Conservation& into, const Conservation& from) noexcept {
  into.before += from.before;
  into.after += from.after;
  into.sent += from.sent;
  into.received += from.received;
}

// Others would be announced to ranks that are not there.
void require_a_part_each(const Splitters& splitters, int ranks) {
  const std::int64_t parts = splitters.empty() ? 0 : std::ssize(splitters) - 1;
  if (parts != ranks)
    throw Error(ErrorKind::bad_input, Where{stage_name},
                "The splitters make " + std::to_string(parts) + " parts for " +
                    std::to_string(ranks) + " ranks.",
                "Cut into as many parts as there are ranks.");
}

SetPlan exports_of(const Order& order, const Splitters& splitters, const Plan& plan, int rank) {
  SetPlan set;
  for (const CurveKey splitter : splitters) {
    const auto at = std::lower_bound(order.keys.begin(), order.keys.end(), splitter);
    set.offsets.push_back(at - order.keys.begin());
  }
  for (int to = 0; to + 1 < std::ssize(splitters); ++to) {
    const auto p = static_cast<std::size_t>(plan.part_of(to));
    const std::int64_t objects = set.offsets[p + 1] - set.offsets[p];
    if (to == rank)
      set.staying = objects;
    else if (objects > 0)
      set.exports.push_back({to, objects});
  }
  return set;
}

std::vector<int> inverse_of(std::span<const int> rank_of_part, int ranks) {
  std::vector<int> part_of_rank(rank_of_part.size(), -1);
  for (std::size_t p = 0; p < rank_of_part.size(); ++p) {
    const int rank = rank_of_part[p];
    if (rank < 0 || rank >= std::ssize(part_of_rank) ||
        part_of_rank[static_cast<std::size_t>(rank)] >= 0)
      part_of_rank.clear();
    if (part_of_rank.empty()) break;
    part_of_rank[static_cast<std::size_t>(rank)] = static_cast<int>(p);
  }
  if (!rank_of_part.empty() && std::ssize(part_of_rank) != ranks)
    throw Error(ErrorKind::bad_input, Where{stage_name}, "The ranks do not own one part each.",
                "Name each rank once, or none.");
  return part_of_rank;
}

void add_import(SetPlan& set, int rank, std::int64_t objects) {
  set.imports.push_back({rank, objects});
  set.count_after += objects;
}

}  // namespace

Plan plan(const Communicator& communicator, const Status& status, const Splitters& splitters,
          std::span<const Order> orders, std::span<const int> rank_of_part) {
  Plan result;
  Conservation mine;
  std::vector<Note<Announcement>> notes;
  Status local = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    require_a_part_each(splitters, communicator.size());
    result.part_of_rank = inverse_of(rank_of_part, communicator.size());
    for (const Order& order : orders) {
      result.sets.push_back(exports_of(order, splitters, result, communicator.rank()));
      result.sets.back().count_after = result.sets.back().staying;
      const auto set = static_cast<std::int64_t>(result.sets.size()) - 1;
      for (const Parcel& parcel : result.sets.back().exports)
        notes.push_back({parcel.rank, {set, parcel.objects}});
    }
  });
  if (!local.ok()) notes.clear();
  const auto arrived = announce(communicator, std::span<const Note<Announcement>>(notes));
  if (local.ok())
    local = attempt(stage_name, [&] {
      for (const Note<Announcement>& note : arrived)
        add_import(result.sets.at(static_cast<std::size_t>(note.content.set)), note.rank,
                   note.content.objects);
      for (std::size_t s = 0; s < result.sets.size(); ++s) {
        mine.before += std::ssize(orders[s].keys);
        mine.after += result.sets[s].count_after;
        for (const Parcel& parcel : result.sets[s].exports) mine.sent += parcel.objects;
        for (const Parcel& parcel : result.sets[s].imports) mine.received += parcel.objects;
      }
    });
  const Conservation all = vote<&combine>(communicator, local, mine);
  if (all.before != all.after || all.sent != all.received)
    throw Error(ErrorKind::internal, Where{stage_name},
                "A plan would make " + std::to_string(all.after) + " objects of " +
                    std::to_string(all.before) + '.',
                "Nothing has moved. Please report it.");
  result.objects_moved = all.sent;
  return result;
}

}  // namespace evenkeel
