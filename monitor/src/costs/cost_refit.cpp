#include "costs/cost_refit.hpp"

#include <utility>

namespace evenkeel {

bool CostRefit::prepare(int ranks, Records records, Costs costs) {
  fit_.reset();
  records_ = std::move(records);
  if (!is_known_) return false;
  for (std::size_t s = 0; s < costs.size(); ++s)
    if (records_[s] == nullptr && !costs[s].empty()) return false;
  add(costs, fit_.emplace(ranks));
  return true;
}

void CostRefit::restart(Costs costs) {
  if (!fit_) return;
  CostFit fit(fit_->ranks());
  add(costs, fit);
  fit_ = std::move(fit);
}

void CostRefit::add(Costs costs, CostFit& into) const {
  for (std::size_t s = 0; s < costs.size(); ++s)
    if (!costs[s].empty()) into.add(costs[s], *records_[s]);
}

void CostRefit::fit(const Communicator& ranks, double first) {
  first_load_ = first;
  fit_->fit(ranks, before_, first);
}

void CostRefit::apply(Costs costs) const {
  for (std::size_t s = 0; s < costs.size(); ++s)
    if (!costs[s].empty()) fit_->apply(costs[s], *records_[s]);
}

void CostRefit::note_load(double last, bool is_known) noexcept {
  next_before_ = last;
  is_next_known_ = is_known;
}

void CostRefit::keep(bool moved) noexcept {
  fit_.reset();
  if (!moved) return;
  before_ = next_before_;
  is_known_ = is_next_known_;
}

}  // namespace evenkeel
