#include "agree/protocol.hpp"

#include <evenkeel/backends/assert.hpp>
#include <evenkeel/backends/error.hpp>

#include <string>
#include <utility>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "monitor/epoch";
constexpr int d = protocol_latency_steps;

// A reduction goes in rounds, and one call takes MPI through one of them at most. Further calls
// cost a tenth of a microsecond each; after one round too few, the wait that follows takes as long
// as other ranks are late.
void help_on(Posted& posted) {
  constexpr int most_tests = 5;
  for (int i = 0; i < most_tests && posted && !posted.test(); ++i) continue;
}

template <class Content>
Posted posted(const Communicator& ranks, Meeting meeting, std::int64_t step,
              const Content& content) {
  Message message;
  message.put(content);
  return Posted(ranks, meeting, step, message);
}

Status with_remedy(const Status& status, const std::string& remedy) {
  const Error& error = *status.error();
  return Status(Error(error.kind(), Where{error.where()}, error.problem(), remedy));
}

}  // namespace

Protocol::Protocol(Communicator communicator, const State& first, std::uint64_t options_hash,
                   bool with_picture, Patience patience)
    : communicator_(std::move(communicator)),
      state_(first),
      options_hash_(options_hash),
      with_picture_(with_picture),
      patience_(std::move(patience)) {}

void Protocol::require_together() const {
  if (apart_) throw Error(*apart_);
}

// Once ranks have run apart, nobody joins what else was posted.
Message Protocol::complete(Posted& posted) {
  try {
    return posted.wait(patience_);
  } catch (const Error& error) {
    apart_.emplace(error);
    forget();
    throw;
  }
}

void Protocol::forget() noexcept {
  totals_ = {};
  picture_ = {};
  comparison_ = {};
  look_ = nullptr;
  posted_at_ = nothing;
}

void Protocol::post(const Sample& sample, const Status& movable) {
  EVENKEEL_ASSERT(posted_at_ == nothing, "An epoch is longer than the protocol");
  require_together();
  posted_at_ = sample.step;
  movable_ = movable;
  is_superseded_ = false;
  const Totals mine = totals_of(sample, state_.mean_load);
  totals_ = posted(communicator_, Meeting::look, sample.step, mine);
  if (!with_picture_) return;
  const LoadPicture picture =
      picture_of(sample.load, communicator_.rank(), communicator_.size(), state_.mean_load);
  picture_ = posted(communicator_, Meeting::picture, sample.step, picture);
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
  look_->totals = complete(totals_).get<Totals>();
  totals_ = {};
  if (picture_) look_->picture = complete(picture_).get<LoadPicture>();
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
  const Decision decision = status.ok() ? look_->verdict.decision : Decision{};
  Comparison mine;
  mine.undecided = status.ok() ? 0 : 1;
  if (!status.ok())
    status = with_remedy(status, "Nothing was moved. Balancing is off from here on.");
  else if (!movable_.ok())
    status = with_remedy(movable_, movable_.error()->remedy() +
                                       " Nothing was moved; the look after "
                                       "step " +
                                       std::to_string(posted_at_) +
                                       " has found it, and each later look checks again.");
  mine.ballot = detail::Ballot::of(status, communicator_.rank());
  mine.least = {static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(state_.generation),
                options_hash_, hash_of(state_), hash_of(decision)};
  mine.greatest = mine.least;
  comparison_ = posted(communicator_, Meeting::comparison, step, mine);
}

// What ranks cannot agree on ends the looks; sets that cannot move do not.
std::shared_ptr<const Look> Protocol::settle() {
  const Comparison all = complete(comparison_).get<Comparison>();
  posted_at_ = nothing;
  comparison_ = {};
  const auto look = std::exchange(look_, nullptr);
  if (all.undecided > 0) all.ballot.throw_if_failed(communicator_.size());
  all.require_equal();
  if (is_superseded_) return look;
  try {
    all.ballot.throw_if_failed(communicator_.size());
  } catch (const Error& error) {
    look->refusal.emplace(error);
  }
  return look;
}

// What was posted before is completed first: where ranks have run apart, they learn it from that.
void Protocol::meet(Meeting meeting, std::int64_t step) {
  require_together();
  Posted here(communicator_, meeting, step);
  for (Posted* const earlier : {&totals_, &picture_, &comparison_})
    if (*earlier) static_cast<void>(complete(*earlier));
  static_cast<void>(complete(here));
  if (meeting == Meeting::rebalance) is_superseded_ = true;
}

std::optional<Totals> Protocol::finish() {
  std::optional<Totals> unseen;
  if (totals_)
    unseen = complete(totals_).get<Totals>();
  else if (look_ != nullptr && !comparison_)
    unseen = look_->totals;
  for (Posted* const earlier : {&picture_, &comparison_})
    if (*earlier) static_cast<void>(complete(*earlier));
  forget();
  return unseen;
}

Totals Protocol::reduce_now(const Sample& sample) {
  require_together();
  Posted here =
      posted(communicator_, Meeting::finish, sample.step, totals_of(sample, state_.mean_load));
  return complete(here).get<Totals>();
}

void Protocol::leave(std::int64_t step) noexcept {
  if (apart_ || communicator_.size() == 1 || std::exchange(has_left_, true)) return;
  try {
    Posted(communicator_, Meeting::farewell, step)
        .let_go("evenkeel: rank " + std::to_string(communicator_.rank()) +
                " has come to MPI_Finalize without finish() after step " + std::to_string(step) +
                "; other ranks still step, or stopped elsewhere.\n");
  } catch (...) {  // MPI has gone
  }
}

}  // namespace evenkeel
