#include "agree/meeting.hpp"

#include <evenkeel/backends/comm/ballot.hpp>

namespace evenkeel {

namespace {

template <class Content, class Combine>
void combine_contents(MeetingMessage& into, const MeetingMessage& from,
                      const Combine& combine) noexcept {
  Content both = into.get<Content>();
  combine(both, from.get<Content>());
  into.put(both);
}

// The first meeting to which a rank has come.
Meeting meeting_of(const MeetingMessage& message) noexcept {
  std::size_t i = 0;
  while (i + 1 < MeetingMessage::meetings && message.callers[i].rank < 0) ++i;
  return static_cast<Meeting>(i);
}

void combine_same(MeetingMessage& into, const MeetingMessage& from) noexcept {
  const auto add = [](auto& all, const auto& other) { combine(all, other); };
  switch (meeting_of(into)) {
    case Meeting::look:
    case Meeting::finish: return combine_contents<Totals>(into, from, add);
    case Meeting::picture: return combine_contents<LoadPicture>(into, from, add);
    case Meeting::comparison: return combine_contents<Comparison>(into, from, &Comparison::combine);
    case Meeting::survey:
    case Meeting::kernels:
    case Meeting::rebalance:
    case Meeting::migration:
    case Meeting::farewell: return;
  }
}

bool are_alike(const void* value) { return !static_cast<const MeetingMessage*>(value)->is_apart(); }

}  // namespace

void Comparison::combine(Comparison& into, const Comparison& from) noexcept {
  detail::Ballot::combine(into.ballot, from.ballot);
  into.undecided += from.undecided;
  for (std::size_t i = 0; i < items; ++i) {
    into.least[i] = std::min(into.least[i], from.least[i]);
    into.greatest[i] = std::max(into.greatest[i], from.greatest[i]);
  }
}

void Comparison::require_equal() const {
  constexpr const char* names[items] = {"the number of the step", "the generation", "the options",
                                        "what was observed", "the decision"};
  std::string different;
  for (std::size_t i = 0; i < items; ++i)
    if (least[i] != greatest[i])
      different += (different.empty() ? "" : ", ") + std::string(names[i]);
  if (different.empty()) return;
  throw Error(ErrorKind::disagreement, Where{"monitor/epoch"},
              "The ranks do not agree on " + different + ". Nothing was moved.",
              "Call step the same number of times on all ranks; a Custom trigger must depend on "
              "its arguments alone. Balancing is off from here on.");
}

std::string name_of(Meeting meeting) {
  switch (meeting) {
    case Meeting::look:
    case Meeting::picture: return "at a look";
    case Meeting::comparison: return "at the comparison of a look";
    case Meeting::finish: return "in finish";
    case Meeting::survey: return "at the survey of a look";
    case Meeting::kernels: return "at the names of kernels of a look";
    case Meeting::rebalance: return "at a rebalance";
    case Meeting::migration: return "at a migration";
    case Meeting::farewell: return "at the end without finish";
  }
  return "somewhere";
}

bool MeetingMessage::is_apart() const noexcept {
  const auto came = [](const Caller& caller) { return caller.rank >= 0; };
  return std::count_if(callers.begin(), callers.end(), came) > 1;
}

void MeetingMessage::require_together() const {
  if (!is_apart()) return;
  std::vector<std::pair<Caller, Meeting>> all;
  for (std::size_t i = 0; i < meetings; ++i)
    if (callers[i].rank >= 0) all.emplace_back(callers[i], static_cast<Meeting>(i));
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.first.rank < b.first.rank; });
  std::string who;
  for (const auto& [caller, meeting] : all)
    who += (who.empty() ? "rank " : ", rank ") + std::to_string(caller.rank) + " was " +
           name_of(meeting) + " after step " + std::to_string(caller.step);
  throw Error(
      ErrorKind::disagreement, Where{"monitor/epoch"},
      "The ranks have diverged: " + who + ". Nothing was moved.",
      "Call step, rebalance, migrate and finish equally often on all ranks. Balancing is off from "
      "here on.");
}

void MeetingMessage::combine(MeetingMessage& into, const MeetingMessage& from) noexcept {
  const bool same = !into.is_apart() && !from.is_apart() && meeting_of(into) == meeting_of(from);
  if (same) combine_same(into, from);
  for (std::size_t i = 0; i < meetings; ++i)
    if (from.callers[i].rank >= 0 &&
        (into.callers[i].rank < 0 || from.callers[i].rank < into.callers[i].rank))
      into.callers[i] = from.callers[i];
}

Posted::Posted(const Communicator& ranks)
    : pending_(prepare_all_reduce<&MeetingMessage::combine, MeetingMessage>(ranks)),
      here_{ranks.rank(), 0} {}

void Posted::start(Meeting meeting, std::int64_t step, MeetingMessage message) {
  meeting_ = meeting;
  here_.step = step;
  message.callers[static_cast<std::size_t>(meeting)] = here_;
  pending_.start(message);
  is_posted_ = true;
}

const MeetingMessage& Posted::wait(const MeetingPatience& patience) {
  patience.wait_for(pending_, [&] {
    return "rank " + std::to_string(here_.rank) + ", " + name_of(meeting_) + " after step " +
           std::to_string(here_.step) + ',';
  });
  const MeetingMessage& all = pending_.wait();
  all.require_together();
  return all;
}

void Posted::let_go(const std::string& words) {
  pending_.let_go(words, &are_alike);
  is_posted_ = false;
}

}  // namespace evenkeel
