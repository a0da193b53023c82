#include "agree/protocol.hpp"

#include <evenkeel/backends/assert.hpp>
#include <evenkeel/backends/error.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace evenkeel {

namespace {

void add_totals(Totals& into, const Totals& from) noexcept { combine(into, from); }
void add_pictures(LoadPicture& into, const LoadPicture& from) noexcept { combine(into, from); }

constexpr const char* stage_name = "monitor/epoch";
constexpr int d = protocol_latency_steps;

// A reduction goes in rounds, and one call takes MPI through one of them at most. Further calls
// cost a tenth of a microsecond each; after one round too few, the wait that follows takes as long
// as other ranks are late.
template <class T>
void help_on(PendingReduction<T>& reduction) {
  constexpr int most_tests = 5;
  for (int i = 0; i < most_tests && reduction && !reduction.test(); ++i) continue;
}

}  // namespace

void Protocol::Comparison::combine(Comparison& into, const Comparison& from) noexcept {
  detail::Ballot::combine(into.ballot, from.ballot);
  for (std::size_t i = 0; i < items; ++i) {
    into.least[i] = std::min(into.least[i], from.least[i]);
    into.greatest[i] = std::max(into.greatest[i], from.greatest[i]);
  }
}

void Protocol::Comparison::require_equal() const {
  constexpr const char* names[items] = {"the number of the step", "the generation", "the options",
                                        "what was observed", "the decision"};
  std::string different;
  for (std::size_t i = 0; i < items; ++i)
    if (least[i] != greatest[i])
      different += (different.empty() ? "" : ", ") + std::string(names[i]);
  if (different.empty()) return;
  throw Error(ErrorKind::disagreement, Where{stage_name},
              "The ranks do not agree on " + different + ". Nothing was moved.",
              "Call step the same number of times on all ranks; a rule of your own must depend on "
              "its arguments alone. Balancing is off from here on.");
}

Protocol::Protocol(Communicator communicator, const State& first, std::uint64_t options_hash,
                   bool with_picture)
    : communicator_(std::move(communicator)),
      state_(first),
      options_hash_(options_hash),
      with_picture_(with_picture) {}

void Protocol::post(const Sample& sample) {
  EVENKEEL_ASSERT(posted_at_ == nothing, "An epoch is longer than the protocol");
  posted_at_ = sample.step;
  const Totals mine = totals_of(sample, state_.mean_load);
  totals_ = start_all_reduce<&add_totals>(communicator_, mine);
  if (!with_picture_) return;
  const LoadPicture picture =
      picture_of(sample.load, communicator_.rank(), communicator_.size(), state_.mean_load);
  picture_ = start_all_reduce<&add_pictures>(communicator_, picture);
}

std::shared_ptr<const Look> Protocol::advance(std::int64_t step, Watcher& watcher) {
  if (posted_at_ == nothing) return nullptr;
  const std::int64_t passed = step - posted_at_;
  if (passed < d) {
    help_on(totals_);
    help_on(picture_);
  } else if (passed == d) {
    receive_totals(watcher);
  } else if (passed == d + 1) {
    decide(step);
  } else if (passed < 2 * d + 1) {
    help_on(comparison_);
  } else {
    return settle();
  }
  return nullptr;
}

void Protocol::receive_totals(Watcher& watcher) {
  look_ = std::make_shared<Look>();
  look_->before = state_;
  look_->totals = totals_.wait();
  totals_ = {};
  if (picture_) look_->picture = picture_.wait();
  picture_ = {};
  watcher.offer([look = look_] {
    if (look->is_over.load(std::memory_order_relaxed)) return;
    look->verdict = fold(look->before, look->totals);
    look->thought.store(true, std::memory_order_release);
  });
}

// Decides here if the watcher has not got to this look yet, or if the application has rebalanced
// since the watcher got it.
std::shared_ptr<Look> Protocol::thought_out(std::shared_ptr<Look> look) const {
  const bool current = look->before.generation == state_.generation &&
                       look->before.rebalanced_at == state_.rebalanced_at;
  if (current && look->thought.load(std::memory_order_acquire)) return look;
  look->is_over.store(true, std::memory_order_relaxed);
  auto again = std::make_shared<Look>();
  again->before = state_;
  again->totals = look->totals;
  again->picture = look->picture;
  again->verdict = fold(again->before, again->totals);
  return again;
}

// A rule of the application's own may throw; the others must not wait for this rank then.
void Protocol::decide(std::int64_t step) {
  Status status = attempt(
      stage_name,
      [&] {
        look_ = thought_out(look_);
        state_ = look_->verdict.state;
      },
      ErrorKind::application);
  if (!status.ok())
    status = Status(Error(status.error()->kind(), Where{status.error()->where()},
                          status.error()->problem(),
                          "Nothing was moved. Balancing is off from here on."));
  const Decision decision = status.ok() ? look_->verdict.decision : Decision{};
  Comparison mine;
  mine.ballot = detail::Ballot::of(status, communicator_.rank());
  mine.least = {static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(state_.generation),
                options_hash_, hash_of(state_), hash_of(decision)};
  mine.greatest = mine.least;
  comparison_ = start_all_reduce<&Comparison::combine>(communicator_, mine);
}

std::shared_ptr<const Look> Protocol::settle() {
  posted_at_ = nothing;
  const Comparison all = comparison_.wait();
  comparison_ = {};
  const auto look = std::exchange(look_, nullptr);
  all.ballot.throw_if_failed(communicator_.size());
  all.require_equal();
  return look;
}

std::optional<Totals> Protocol::finish() {
  std::optional<Totals> unseen;
  if (totals_)
    unseen = totals_.wait();
  else if (look_ != nullptr && !comparison_)
    unseen = look_->totals;
  if (picture_) picture_.wait();
  if (comparison_) comparison_.wait();
  totals_ = {};
  picture_ = {};
  comparison_ = {};
  look_ = nullptr;
  posted_at_ = nothing;
  return unseen;
}

Totals Protocol::reduce_now(const Sample& sample) const {
  return all_reduce<&add_totals>(communicator_, totals_of(sample, state_.mean_load));
}

}  // namespace evenkeel
