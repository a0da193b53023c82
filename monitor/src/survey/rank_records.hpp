#pragma once

// Records of earlier ranks. Each object carries a record of its first rank and of its rank before
// the last rebalance, and this class keeps the domains of both times. Each object may also have a
// note of the rank to which advice would have moved it. Records and notes are valid as long as the
// application does not make, remove or move objects itself.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/field/set.hpp>

#include <memory>

namespace evenkeel {

class RankRecords {
 public:
  explicit RankRecords(int here) : here_(here) {}

  static constexpr int unknown_rank = -1;  // the first rank of an object if it is not known
  static int first_rank(std::int64_t record) noexcept { return static_cast<int>(record); }
  // The upper half of a record.
  static int previous_rank(std::int64_t record) noexcept { return static_cast<int>(record >> 32); }

  // The records, and the notes, of all objects of a set; null if they are not known.
  const exec::Array<std::int64_t>* known(std::size_t set, std::int64_t objects) const noexcept;
  const exec::Array<int>* known_advice(std::size_t set, std::int64_t objects) const noexcept;
  // The records even if objects have migrated since the last rebalance. Then only the rank before
  // that rebalance is valid.
  const exec::Array<std::int64_t>* of_last_rebalance(std::size_t set,
                                                     std::int64_t objects) const noexcept;
  void note_advice(std::vector<exec::Array<int>> ranks) noexcept { advised_ = std::move(ranks); }

  // The costs of objects by their first rank, and by their rank before the last rebalance. The
  // first list has one more entry, for objects whose first rank is not known.
  struct SumsByRank {
    std::vector<double> first, previous;
  };
  // Adds the objects of a set. If `costs` is empty, each object costs 1. Records are those that
  // known() has returned.
  static void add_up(const exec::Array<std::int64_t>& records, std::span<const double> costs,
                     SumsByRank& into);

  // Domains to which the run can return, or null.
  const Domains* first() const noexcept { return first_.domains.get(); }
  const Domains* previous() const noexcept { return previous_.domains.get(); }
  const Domains* find(std::int64_t generation) const noexcept;

  // --- Around a rebalance, on all ranks ----------------------------------------------------------

  // Call this before objects move, with the domains before the rebalance. Makes room for new
  // records of the sets; the old records are used until end_rebalance(). `is_start` is true if no
  // step has been made.
  void begin_rebalance(std::shared_ptr<const Domains> domains, std::size_t sets, bool is_start);
  // Makes the sets carry new records.
  void travel_with(const Space& space, std::span<Set> sets);
  exec::Array<std::int64_t>& make(const Space& space, std::size_t set, std::int64_t objects);
  // Call this after objects have moved. `generation` is the number of the new domains. `back_to` is
  // the earlier generation to which the rebalance has returned, or -1.
  void end_rebalance(std::int64_t back_to, std::int64_t generation) noexcept;
  // Call this if a rebalance fails. Frees the records that were made for it.
  void give_back() noexcept { travelling_.clear(); }

  // Call this if the application has made, removed or sorted objects of a set. `before` is the old
  // number of objects. `places` has the old index of each present object, or -1 for a new object. A
  // new object counts as if it had been on this rank before the last rebalance.
  void follow(std::size_t set, std::int64_t before, const exec::Array<std::int64_t>& places);
  // Call these at a migration, in this order. migrate_with() makes the sets carry their records; if
  // it is not called, records are lost. From note_migration() on, objects change their ranks
  // without a rebalance.
  void begin_migration() noexcept { migrate_too_ = false; }
  void migrate_with(const Space& space, std::span<Set> sets);
  void note_migration() noexcept;

 private:
  struct KeptDomains {
    std::int64_t generation = -1;
    std::shared_ptr<const Domains> domains;  // null at first
  };

  int here_;
  std::vector<exec::Array<std::int64_t>> records_;     // by set
  std::vector<exec::Array<std::int64_t>> travelling_;  // by set: records of a rebalance under way
  std::vector<exec::Array<int>> advised_;              // by set
  bool is_start_ = true;
  bool migrates_ = false;
  bool migrate_too_ = false;  // the records, in the migration under way
  KeptDomains first_, previous_, now_;
};

}  // namespace evenkeel
