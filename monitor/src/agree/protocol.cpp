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
void post_to(Posted& posted, Meeting meeting, std::int64_t step, const Content& content) {
  MeetingMessage message;
  message.put(content);
  posted.start(meeting, step, message);
}

}  // namespace

Protocol::Protocol(Communicator communicator, const State& first, std::uint64_t options_hash,
                   bool with_picture, Patience patience)
    : communicator_(std::move(communicator)),
      state_(first),
      options_hash_(options_hash),
      with_picture_(with_picture),
      patience_(std::move(patience)),
      totals_(communicator_),
      picture_(communicator_),
      comparison_(communicator_),
      here_(communicator_) {
  for (auto& look : own_) look = std::make_shared<Look>();
}

void Protocol::require_together() const {
  if (apart_) throw Error(*apart_);
}

// Once ranks have run apart, nobody joins what else was posted.
template <class Function>
void Protocol::together(const Function& function) {
  const Status status = attempt(stage_name, function);
  if (status.ok()) return;
  apart_.emplace(*status.error());
  forget();
  throw Error(*apart_);
}

MeetingMessage Protocol::complete(Posted& posted) {
  MeetingMessage all;
  together([&] { all = posted.wait(patience_); });
  return all;
}

void Protocol::forget() noexcept {
  for (Posted* const posted : {&totals_, &picture_, &comparison_}) posted->forget();
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
  post_to(totals_, Meeting::look, sample.step, mine);
  if (!with_picture_) return;
  post_to(picture_, Meeting::picture, sample.step,
          picture_of(sample.load, communicator_.rank(), communicator_.size(), state_.mean_load));
}

std::shared_ptr<const Look> Protocol::advance(std::int64_t step, Watcher& watcher) {
  if (posted_at_ == nothing) return nullptr;
  const std::int64_t passed = step - posted_at_;
  if (passed < d) {
    together([&] {
      help_on(totals_);
      help_on(picture_);
    });
  } else if (passed == d) {
    receive_totals(watcher);
  } else if (passed == d + 1) {
    decide(step);
  } else if (passed < 2 * d + 1) {
    together([&] { help_on(comparison_); });
  } else {
    return settle();
  }
  return nullptr;
}

// One that nobody else looks at, as new.
std::shared_ptr<Look> Protocol::own_look() const {
  for (const auto& look : own_) {
    if (look.use_count() > 1) continue;
    look->before = {};
    look->totals = {};
    look->picture.reset();
    look->refusal.reset();
    look->verdict = {};
    look->thought = look->is_over = false;
    return look;
  }
  return std::make_shared<Look>();
}

// Without memory the watcher gets nothing to think about, and this rank decides by itself.
void Protocol::receive_totals(Watcher& watcher) {
  std::shared_ptr<Look> shared;
  const Status made = attempt(stage_name, [&] { shared = std::make_shared<Look>(); });
  look_ = made.ok() ? shared : own_look();
  look_->before = state_;
  look_->totals = complete(totals_).get<Totals>();
  totals_.forget();
  if (picture_) look_->picture = complete(picture_).get<LoadPicture>();
  picture_.forget();
  if (!made.ok()) return;
  static_cast<void>(attempt(stage_name, [&] {
    watcher.offer([look = look_] {
      if (look->is_over.load(std::memory_order_relaxed)) return;
      look->verdict = fold(look->before, look->totals);
      look->thought.store(true, std::memory_order_release);
    });
  }));
}

// Decides here if the watcher has not got to this look yet, or if the application has rebalanced
// since the watcher got it.
std::shared_ptr<Look> Protocol::thought_out(std::shared_ptr<Look> look) const {
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

// A rule of the application's own may throw; the others must not wait for this rank then.
void Protocol::decide(std::int64_t step) {
  Comparison mine;
  const Status status = attempt(
      stage_name,
      [&] {
        look_ = thought_out(look_);
        const Verdict& verdict = look_->verdict;
        mine.least = {static_cast<std::uint64_t>(step),
                      static_cast<std::uint64_t>(verdict.state.generation), options_hash_,
                      hash_of(verdict.state), hash_of(verdict.decision)};
        state_ = verdict.state;
      },
      ErrorKind::application);
  mine.undecided = status.ok() ? 0 : 1;
  const bool is_told = status.ok() && !movable_.ok();  // what the look has found
  // The ballot has room for this, unlike a new Error if memory is out.
  mine.ballot = detail::Ballot::of(is_told ? movable_ : status, communicator_.rank());
  if (is_told)
    static_cast<void>(attempt(stage_name, [&] {
      const std::string remedy =
          movable_.error()->remedy() + " Nothing was moved; the look after step " +
          std::to_string(posted_at_) + " has found it, and each later look checks again.";
      mine.ballot.set_remedy(remedy.c_str());
    }));
  else
    mine.ballot.set_remedy("Nothing was moved. Balancing is off from here on.");
  mine.greatest = mine.least;
  post_to(comparison_, Meeting::comparison, step, mine);
}

// What ranks cannot agree on ends the looks; sets that cannot move do not.
std::shared_ptr<const Look> Protocol::settle() {
  const Comparison all = complete(comparison_).get<Comparison>();
  posted_at_ = nothing;
  comparison_.forget();
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
  here_.start(meeting, step);
  for (Posted* const earlier : {&totals_, &picture_, &comparison_})
    if (*earlier) static_cast<void>(complete(*earlier));
  static_cast<void>(complete(here_));
  here_.forget();
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
  post_to(here_, Meeting::finish, sample.step, totals_of(sample, state_.mean_load));
  const Totals all = complete(here_).get<Totals>();
  here_.forget();
  return all;
}

void Protocol::leave(std::int64_t step) noexcept {
  if (apart_ || communicator_.size() == 1 || std::exchange(has_left_, true)) return;
  try {
    Posted farewell(communicator_);
    farewell.start(Meeting::farewell, step);
    farewell.let_go("evenkeel: rank " + std::to_string(communicator_.rank()) +
                    " has come to MPI_Finalize without finish() after step " +
                    std::to_string(step) + "; other ranks still step, or stopped elsewhere.\n");
  } catch (...) {  // MPI has gone
  }
}

}  // namespace evenkeel
