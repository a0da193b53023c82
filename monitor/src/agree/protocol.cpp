#include "agree/protocol.hpp"

#include <evenkeel/backends/error.hpp>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "monitor/epoch";
constexpr int d = protocol_latency_steps;

// A reduction takes several rounds, and in one test MPI makes at most one of them. A test costs a
// tenth of a microsecond. With too few tests, the reduction is not complete when this rank needs
// it, and this rank then waits until the late ranks come.
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

Attendance::Attendance(Communicator communicator, MeetingPatience patience)
    : communicator_(std::move(communicator)), patience_(std::move(patience)) {}

void Attendance::require() const {
  if (apart_) throw Error(*apart_);
}

MeetingMessage Attendance::complete(Posted& posted) {
  MeetingMessage all;
  together([&] { all = posted.wait(patience_); });
  return all;
}

void Attendance::leave(std::int64_t step) noexcept {
  if (apart_ || communicator_.size() == 1 || std::exchange(has_left_, true)) return;
  try {
    Posted farewell(communicator_);
    farewell.start(Meeting::farewell, step);
    farewell.let_go("evenkeel: rank " + std::to_string(communicator_.rank()) +
                    " has reached MPI_Finalize without finish() after step " +
                    std::to_string(step) + "; other ranks still step, or stopped elsewhere.\n");
  } catch (...) {  // MPI has ended
  }
}

// --- Protocol ------------------------------------------------------------------------------------

Protocol::Protocol(Communicator communicator, std::uint64_t options_hash, bool with_picture,
                   MeetingPatience patience)
    : attendance_(std::move(communicator), std::move(patience)),
      options_hash_(options_hash),
      with_picture_(with_picture),
      totals_(this->communicator()),
      picture_(this->communicator()),
      comparison_(this->communicator()),
      here_(this->communicator()) {}

void Protocol::post(const Sample& sample, std::int64_t last_mean, const Status& movable) {
  EVENKEEL_ASSERT(posted_at_ == nothing,
                  "The protocol of the last look is over before the next look begins");
  attendance_.require();
  posted_at_ = sample.step;
  movable_ = movable;
  is_superseded_ = false;
  post_to(totals_, Meeting::look, sample.step, totals_of(sample, last_mean));
  if (!with_picture_) return;
  const Communicator& ranks = communicator();
  post_to(picture_, Meeting::picture, sample.step,
          picture_of(sample.load, ranks.rank(), ranks.size(), last_mean));
}

std::optional<Protocol::Settled> Protocol::advance(std::int64_t step, Decider& decider) {
  if (posted_at_ == nothing || is_over()) return std::nullopt;
  const std::int64_t passed = step - posted_at_;
  if (passed < d) {
    attendance_.together([&] {
      help_on(totals_);
      help_on(picture_);
    });
  } else if (passed == d) {
    receive_totals(decider);
  } else if (passed == d + 1) {
    decide(step, decider);
  } else if (passed < 2 * d + 1) {
    attendance_.together([&] { help_on(comparison_); });
  } else {
    return settle();
  }
  return std::nullopt;
}

std::optional<Protocol::Settled> Protocol::hurry(Decider& decider) {
  if (posted_at_ == nothing || is_over()) return std::nullopt;
  if (totals_) receive_totals(decider);
  if (!comparison_) decide(posted_at_ + d + 1, decider);
  return settle();
}

void Protocol::receive_totals(Decider& decider) {
  auto totals = attendance_.complete(totals_).get<Totals>();
  totals.scale_predictions();
  totals_.forget();
  std::optional<LoadPicture> picture;
  if (picture_) picture = attendance_.complete(picture_).get<LoadPicture>();
  picture_.forget();
  decider.receive(totals, picture);
}

// A rule of the application may throw. Even then this rank posts its part, since the other ranks
// wait for it.
void Protocol::decide(std::int64_t step, Decider& decider) {
  Comparison mine;
  const Status status = attempt(
      stage_name,
      [&] {
        const Decider::Fingerprint decided = decider.decide();
        mine.least = {static_cast<std::uint64_t>(step),
                      static_cast<std::uint64_t>(decided.generation), options_hash_, decided.state,
                      decided.decision};
      },
      ErrorKind::application);
  mine.undecided = status.ok() ? 0 : 1;
  const bool is_told = status.ok() && !movable_.ok();  // true if this rank only reports that its
                                                       // sets cannot move
  // The ballot has room for this text already; a new Error would need memory.
  mine.ballot = detail::Ballot::of(is_told ? movable_ : status, communicator().rank());
  if (is_told)
    static_cast<void>(attempt(stage_name, [&] {
      const std::string remedy =
          movable_.error()->remedy() + " Nothing was moved; the look after step " +
          std::to_string(posted_at_) + " found this, and each later look checks again.";
      mine.ballot.set_remedy(remedy.c_str());
    }));
  else
    mine.ballot.set_remedy("Nothing was moved. Balancing is off from here on.");
  mine.greatest = mine.least;
  post_to(comparison_, Meeting::comparison, step, mine);
}

// A disagreement between ranks ends the looks. Sets that cannot move do not.
Protocol::Settled Protocol::settle() {
  const Comparison all = attendance_.complete(comparison_).get<Comparison>();
  posted_at_ = nothing;
  comparison_.forget();
  if (all.undecided > 0) all.ballot.throw_if_failed(communicator().size());
  all.require_equal();
  if (is_superseded_) return {};
  try {
    all.ballot.throw_if_failed(communicator().size());
  } catch (const Error& error) {
    return {error};
  }
  return {};
}

// Completes the earlier reductions first, because if ranks have diverged, these show it.
void Protocol::meet(Meeting meeting, std::int64_t step) {
  attendance_.require();
  here_.start(meeting, step);
  for (Posted* const earlier : {&totals_, &picture_, &comparison_})
    if (*earlier) static_cast<void>(attendance_.complete(*earlier));
  static_cast<void>(attendance_.complete(here_));
  here_.forget();
  if (meeting == Meeting::rebalance) is_superseded_ = true;
}

std::optional<Totals> Protocol::finish() {
  std::optional<Totals> unseen;
  if (totals_) unseen = attendance_.complete(totals_).get<Totals>();
  if (unseen) unseen->scale_predictions();
  for (Posted* const earlier : {&picture_, &comparison_})
    if (*earlier) static_cast<void>(attendance_.complete(*earlier));
  for (Posted* const posted : {&totals_, &picture_, &comparison_}) posted->forget();
  posted_at_ = nothing;
  return unseen;
}

Totals Protocol::reduce_now(Meeting meeting, const Sample& sample, std::int64_t last_mean) {
  attendance_.require();
  post_to(here_, meeting, sample.step, totals_of(sample, last_mean));
  const auto all = attendance_.complete(here_).get<Totals>();
  here_.forget();
  return all;
}

}  // namespace evenkeel
