#include "decide/looks.hpp"

namespace evenkeel {

Looks::Looks(const DecisionState& first, Executor executor)
    : state_(first), executor_(std::move(executor)) {
  for (auto& look : own_) look = std::make_shared<Look>();
}

// Returns one of own_ that is not in use, reset to its initial state.
std::shared_ptr<Look> Looks::own_look() const {
  for (const auto& look : own_) {
    if (look.use_count() > 1) continue;
    look->before = {};
    look->totals = {};
    look->picture.reset();
    look->verdict = {};
    look->thought = look->is_over = false;
    return look;
  }
  return std::make_shared<Look>();
}

// If memory runs out, the executor gets no task, and decide() decides itself.
void Looks::receive(const Totals& totals, const std::optional<LoadPicture>& picture) {
  look_ = nullptr;
  is_decided_ = false;
  const Status made = attempt("monitor/epoch", [&] { look_ = std::make_shared<Look>(); });
  if (!made.ok()) look_ = own_look();
  look_->before = state_;
  look_->totals = totals;
  look_->picture = picture;
  if (!made.ok()) return;
  static_cast<void>(attempt("monitor/epoch", [&] {
    executor_([look = look_] {
      if (look->is_over.load(std::memory_order_relaxed)) return;
      look->verdict = fold(look->before, look->totals);
      look->thought.store(true, std::memory_order_release);
    });
  }));
}

// Returns the look with its verdict. Decides on this thread if the executor has not finished, or if
// the application has rebalanced since receive().
std::shared_ptr<Look> Looks::thought_out(std::shared_ptr<Look> look) const {
  const bool current = look->before.generation == state_.generation &&
                       look->before.rebalanced_at == state_.rebalanced_at;
  if (current && look->thought.load(std::memory_order_acquire)) return look;
  look->is_over.store(true, std::memory_order_relaxed);
  auto again = own_look();
  again->before = state_;
  again->totals = look->totals;
  again->picture = look->picture;
  again->verdict = fold(again->before, again->totals);
  return again;
}

Decider::Fingerprint Looks::decide() {
  is_decided_ = true;
  look_ = thought_out(look_);
  const Verdict& verdict = look_->verdict;
  const Fingerprint found = {verdict.state.generation, hash_of(verdict.state),
                             hash_of(verdict.decision)};
  state_ = verdict.state;
  return found;
}

std::shared_ptr<const Look> Looks::take() {
  last_ = std::exchange(look_, nullptr);
  return last_;
}

std::optional<Totals> Looks::take_undecided() {
  const auto look = std::exchange(look_, nullptr);
  if (look == nullptr || is_decided_) return std::nullopt;
  return look->totals;
}

}  // namespace evenkeel
