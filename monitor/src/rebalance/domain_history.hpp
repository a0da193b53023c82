#pragma once

// The present domains, and earlier domains to which the run can return.

#include "survey/rank_records.hpp"

#include <evenkeel/core/migrate/move.hpp>

#include <algorithm>

namespace evenkeel {

class DomainHistory {
 public:
  const Domains& present() const noexcept { return *present_; }
  const std::shared_ptr<const Domains>& shared() const noexcept { return present_; }
  std::int64_t generation() const noexcept { return generation_of(*present_); }

  // The lambda of the last cut if that cut was made for several phases or by a graph, or held back
  // by memory; otherwise 1.
  double best_lambda() const noexcept { return best_lambda_; }

  // The domains of an earlier generation; null if they are no longer kept.
  const Domains* find(std::int64_t generation, const RankRecords& records) const noexcept {
    const bool is_best = best_ != nullptr && generation_of(*best_) == generation;
    const Domains* const kept = records.find(generation);
    return kept == nullptr && is_best ? best_.get() : kept;
  }

  // Makes `next` the present domains. `best_generation` is the generation of the most even domains
  // since the last new cut, or -1. If these are the domains that `next` replaces, they are kept.
  void adopt(std::shared_ptr<const Domains> next, std::int64_t best_generation) noexcept {
    if (best_generation == generation()) best_ = present_;
    present_ = std::move(next);
  }
  // `is_bound` is true if several phases, or limits of memory, keep cuts from being even.
  void note_lambda(double lambda, bool is_bound) noexcept {
    best_lambda_ = is_bound || !own_places(*present_) ? std::max(1.0, lambda) : 1;
  }
  void forget_best() noexcept { best_.reset(); }

  // Writes the present and the last domains into a report.
  void report(const std::shared_ptr<const Domains>& last, MoveReport& into) const {
    into.generation = generation();
    into.last_domains = last;
    into.domains = present_;
  }
  MoveReport nothing_moved() const {
    MoveReport nothing;
    report(present_, nothing);
    return nothing;
  }

 private:
  std::shared_ptr<const Domains> present_ = std::make_shared<const Domains>();
  std::shared_ptr<const Domains> best_;  // may be null
  double best_lambda_ = 1;
};

}  // namespace evenkeel
