#include "survey/rank_records.hpp"

#include <evenkeel/backends/exec/histogram.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/core/field/array.hpp>
#include <evenkeel/core/order.hpp>

namespace evenkeel {

namespace {

constexpr const char* rank_records_label = "evenkeel::surveyor::records";
constexpr std::int64_t rank_unit = std::int64_t{1} << 32;

constexpr std::int64_t record_of(int previous, int first) {
  return previous * rank_unit + static_cast<std::uint32_t>(first);
}

// Writes new records: the present rank is the previous rank of the new record, and the first rank
// is that of the older record.
struct WriteRecord {
  int here;
  const std::int64_t* older;
  std::int64_t* records;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    records[i] = here * rank_unit + older[i] % rank_unit;
  }
};

struct FirstRankOf {
  const std::int64_t* records;
  std::int64_t unknown;  // the bin of objects whose first rank is not known
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    const auto rank = static_cast<std::int32_t>(records[i]);
    return rank < 0 ? unknown : rank;
  }
};

struct PreviousRankOf {
  const std::int64_t* records;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return records[i] / rank_unit; }
};

struct CostAt {
  const double* costs;  // null if each object costs 1
  KOKKOS_FUNCTION double operator()(std::int64_t i) const {
    return costs == nullptr ? 1 : costs[i];
  }
};

template <class RankOf>
void add_to(const Space& space, std::int64_t objects, const RankOf& rank_of, const CostAt& cost_at,
            std::vector<double>& into) {
  const exec::Array<double> sums = exec::filled(space, rank_records_label, std::ssize(into), 0.0);
  with_space(space, [&](const auto& instance) {
    using Instance = std::remove_cvref_t<decltype(instance)>;
    using Bins = Kokkos::View<double*, typename Instance::memory_space,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    exec::weighted_histogram(instance, objects, rank_of, cost_at,
                             Bins(sums.data(), static_cast<std::size_t>(sums.size())));
  });
  const std::vector<double> added = sums.on_host();
  for (std::size_t rank = 0; rank < into.size(); ++rank) into[rank] += added[rank];
}

template <class Note>
struct TakeOver {
  const std::int64_t* places;
  const Note* before;
  Note of_new;
  Note* notes;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    notes[i] = places[i] < 0 ? of_new : before[places[i]];
  }
};

// Sorts notes by the new order of the objects. A new object gets `of_new`.
template <class Note>
void reorder(exec::Array<Note>& notes, const exec::Array<std::int64_t>& places, Note of_new) {
  const Space space = notes.space();
  const exec::Reached<std::int64_t> there(space, rank_records_label, places);
  exec::Array<Note> moved(space, rank_records_label, places.size());
  exec::for_each(space, rank_records_label, places.size(),
                 TakeOver<Note>{there.data(), notes.data(), of_new, moved.data()});
  space.fence(rank_records_label);
  notes = std::move(moved);
}

}  // namespace

const exec::Array<std::int64_t>* RankRecords::known(std::size_t set,
                                                    std::int64_t objects) const noexcept {
  const bool are_known = first_.domains != nullptr && !migrates_;
  return are_known ? of_last_rebalance(set, objects) : nullptr;
}

const exec::Array<std::int64_t>* RankRecords::of_last_rebalance(
    std::size_t set, std::int64_t objects) const noexcept {
  const bool are_known = set < records_.size() && records_[set].size() == objects;
  return are_known ? &records_[set] : nullptr;
}

const exec::Array<int>* RankRecords::known_advice(std::size_t set,
                                                  std::int64_t objects) const noexcept {
  const bool are_known = set < advised_.size() && advised_[set].size() == objects;
  return are_known ? &advised_[set] : nullptr;
}

void RankRecords::add_up(const exec::Array<std::int64_t>& records, std::span<const double> costs,
                         SumsByRank& into) {
  const Space space = records.space();
  const CostAt cost_at{costs.empty() ? nullptr : costs.data()};
  const std::int64_t unknown = std::ssize(into.first) - 1;
  add_to(space, records.size(), FirstRankOf{records.data(), unknown}, cost_at, into.first);
  add_to(space, records.size(), PreviousRankOf{records.data()}, cost_at, into.previous);
}

const Domains* RankRecords::find(std::int64_t generation) const noexcept {
  for (const KeptDomains* kept : {&first_, &previous_})
    if (kept->domains != nullptr && kept->generation == generation && parts_of(*kept->domains) > 0)
      return kept->domains.get();
  return nullptr;
}

void RankRecords::begin_rebalance(std::shared_ptr<const Domains> domains, std::size_t sets,
                                  bool is_start) {
  is_start_ = is_start;
  now_ = {generation_of(*domains), std::move(domains)};
  travelling_.clear();
  travelling_.resize(is_start ? 0 : sets);
}

void RankRecords::travel_with(const Space& space, std::span<Set> sets) {
  for (std::size_t s = 0; s < sets.size(); ++s)
    sets[s].accompany(field_of(make(space, s, sets[s].count())));
}

// Makes the new records of a set. They hold the present rank as the rank before this rebalance. At
// the first rebalance, it is also the first rank.
exec::Array<std::int64_t>& RankRecords::make(const Space& space, std::size_t set,
                                             std::int64_t objects) {
  const bool is_first = first_.domains == nullptr && !migrates_;
  const exec::Array<std::int64_t>* const older = known(set, objects);
  exec::Array<std::int64_t>& records = travelling_[set];
  if (older == nullptr) {
    records = exec::filled(space, rank_records_label, objects,
                           record_of(here_, is_first ? here_ : unknown_rank));
    return records;
  }
  const Space there = older->space();
  records = {there, rank_records_label, objects};
  exec::for_each(there, rank_records_label, objects,
                 WriteRecord{here_, older->data(), records.data()});
  there.fence(rank_records_label);
  return records;
}

void RankRecords::end_rebalance(std::int64_t back_to, std::int64_t generation) noexcept {
  std::swap(records_, travelling_);
  give_back();
  if (is_start_) return;
  if (back_to >= 0 && back_to == first_.generation) first_.generation = generation;
  previous_ = now_;
  if (first_.domains == nullptr) first_ = now_;
}

void RankRecords::follow(std::size_t set, std::int64_t before,
                         const exec::Array<std::int64_t>& places) {
  if (set < records_.size() && records_[set].size() == before)
    reorder(records_[set], places, record_of(here_, unknown_rank));
  if (set < advised_.size() && advised_[set].size() == before)
    reorder(advised_[set], places, here_);
}

// All ranks must carry the same number of fields, so an object without a record gets one that says
// that it has always been here.
void RankRecords::migrate_with(const Space& space, std::span<Set> sets) {
  records_.resize(sets.size());
  for (std::size_t s = 0; s < sets.size(); ++s) {
    if (records_[s].size() != sets[s].count())
      records_[s] =
          exec::filled(space, rank_records_label, sets[s].count(), record_of(here_, unknown_rank));
    sets[s].accompany(field_of(records_[s]));
  }
  migrate_too_ = true;
}

void RankRecords::note_migration() noexcept {
  migrates_ = true;
  if (!migrate_too_)
    for (exec::Array<std::int64_t>& records : records_) records = {};
  advised_.clear();
}

}  // namespace evenkeel
