#pragma once

// What a journal has on record for a replay: where a run began, and at each look the data that the
// decision was made from, and its result. The journal is written and read by the lists of members
// below; what it says besides is for people.

#include "agree/epoch.hpp"
#include "decide/decision.hpp"
#include "decide/state.hpp"

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace evenkeel {

struct RecordedStart {
  std::string version;
  std::int64_t ranks = 0;
  State state;
};

// A rebalance that no look asked for has no totals.
struct RecordedLine {
  std::int64_t step = 0;
  std::int64_t generation = 0;
  State before;
  std::optional<Totals> totals;
  std::string decision, cause, reason;
  std::optional<double> predicted_gain;  // seconds; none without totals
  std::optional<std::int64_t> taken_at;  // none: not taken
  std::optional<RebalanceKind> kind;     // none: not taken
  // Whether it has made new domains; none: not taken, or a journal of before this was told.
  std::optional<bool> changed;
};

namespace detail {

// A visitor takes (key, member).
template <class T, class Visitor>
requires std::same_as<std::remove_const_t<T>, RecordedStart>
void for_each_member(T& start, Visitor&& visit) {
  visit("version", start.version);
  visit("ranks", start.ranks);
  visit("state", start.state);
}

template <class T, class Visitor>
requires std::same_as<std::remove_const_t<T>, RecordedLine>
void for_each_member(T& line, Visitor&& visit) {
  visit("step", line.step);
  visit("generation", line.generation);
  visit("totals", line.totals);
  visit("state", line.before);
  visit("decision", line.decision);
  visit("cause", line.cause);
  visit("reason", line.reason);
  visit("predicted_gain", line.predicted_gain);
  visit("taken_at", line.taken_at);
  visit("kind", line.kind);
  visit("changed", line.changed);
}

}  // namespace detail

}  // namespace evenkeel
