#include "migrate/manifest.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace evenkeel {

Manifest::Manifest(std::span<const Set> sets, std::span<const SetShape> shapes, const Plan& plan,
                   const MessageSizes& sizes)
    : plan_(plan), sizes_(sizes), sent_bytes_(sets.size()) {
  add_columns(sets, shapes);
  add_loads(true);
  add_loads(false);
}

std::int64_t Manifest::sent_bytes() const noexcept {
  return std::accumulate(sent_bytes_.begin(), sent_bytes_.end(), std::int64_t{0});
}

void Manifest::add_columns(std::span<const Set> sets, std::span<const SetShape> shapes) {
  for (std::size_t s = 0; s < sets.size(); ++s) {
    for (std::size_t f = 0; f < sets[s].fields().size(); ++f) {
      const FieldLayout at = sets[s].fields()[f].layout();
      const std::int64_t components = shapes[s].components[f];
      columns_.push_back({s, f, at.memory, at.element_bytes * components});
    }
    for (std::size_t p = 0; p < sets[s].payloads().size(); ++p)
      columns_.push_back({s, p, sets[s].payloads()[p]->memory(), any_bytes});
  }
  for (const MessageColumn& column : columns_) uses_[index_of(column.memory)] = true;
}

std::vector<ColumnShare> Manifest::shares_of(std::span<const std::int64_t> first,
                                             std::span<const std::int64_t> objects,
                                             bool leaving) const {
  std::vector<ColumnShare> shares;
  shares.reserve(columns_.size());
  for (const MessageColumn& column : columns_) {
    const std::int64_t count = objects[column.set];
    if (!column.is_payload()) {
      shares.push_back({count, count * column.bytes_per_object});
      continue;
    }
    const PayloadPlan& all = plan_.sets[column.set].payloads[column.index];
    shares.push_back(share_of_payload(Space::where(column.memory),
                                      (leaving ? all.leaving : all.arriving).data(),
                                      first[column.set], count, sizes_.most));
  }
  return shares;
}

// Adds one list of loads, in ascending order of ranks.
void Manifest::add_loads(bool leaving) {
  const std::size_t sets = plan_.sets.size();
  std::vector<int> ranks;
  const auto parcels_of = [&](std::size_t s) -> const std::vector<Parcel>& {
    return leaving ? plan_.sets[s].exports : plan_.sets[s].imports;
  };
  for (std::size_t s = 0; s < sets; ++s)
    for (const Parcel& parcel : parcels_of(s)) ranks.push_back(parcel.rank);
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  std::vector<std::size_t> next(sets);
  for (const int rank : ranks) {
    std::vector<std::int64_t> first(sets), objects(sets);
    for (std::size_t s = 0; s < sets; ++s) {
      if (next[s] == parcels_of(s).size() || parcels_of(s)[next[s]].rank != rank) continue;
      const Parcel& parcel = parcels_of(s)[next[s]++];
      first[s] = parcel.first;
      objects[s] = parcel.objects;
    }
    const std::vector<ColumnShare> shares = shares_of(first, objects, leaving);
    for (std::size_t c = 0; c < shares.size(); ++c)
      (leaving ? sent_bytes_[columns_[c].set] : received_bytes_) += shares[c].bytes;
    for (Message& message : cut_into_messages(columns_, shares, sizes_))
      (leaving ? leaving_ : arriving_).push_back({rank, std::move(message), first});
  }
  std::vector<int> all;
  std::set_union(partners_.begin(), partners_.end(), ranks.begin(), ranks.end(),
                 std::back_inserter(all));
  partners_ = std::move(all);
}

}  // namespace evenkeel
