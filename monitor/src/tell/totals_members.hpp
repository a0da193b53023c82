#pragma once

// The members of Totals and of a Counterfactual by name, in the order of the journal, which is
// written and read by this list. A visitor takes (key, member) for an integer, a hash
// (unsigned), a Tally, an array of integers, the tallies of kernels or of phases, and a
// Counterfactual.

#include "agree/epoch.hpp"

#include <evenkeel/monitor/counterfactual.hpp>

#include <concepts>
#include <type_traits>

namespace evenkeel::detail {

template <class T, class Visitor>
requires std::same_as<std::remove_const_t<T>, Counterfactual>
void for_each_member(T& would_be, Visitor&& visit) {
  visit("first", would_be.first);
  visit("previous", would_be.previous);
  visit("first_again", would_be.first_again);
  visit("previous_again", would_be.previous_again);
  visit("fresh", would_be.fresh);
  visit("as_weighed", would_be.as_weighed);
  visit("advised", would_be.advised);
  visit("earlier", would_be.earlier);
  visit("age", would_be.age);
}

template <class T, class Visitor>
requires std::same_as<std::remove_const_t<T>, Totals>
void for_each_member(T& totals, Visitor&& visit) {
  visit("step_least", totals.step_least);
  visit("step_greatest", totals.step_greatest);
  visit("generation_least", totals.generation_least);
  visit("generation_greatest", totals.generation_greatest);
  visit("names_least", totals.names_least);
  visit("names_greatest", totals.names_greatest);
  visit("ranks", totals.ranks);
  visit("unfit", totals.unfit);
  visit("steps", totals.steps);
  visit("load", totals.load);
  visit("duration", totals.duration);
  visit("objects", totals.objects);
  visit("cost", totals.cost);
  visit("rebuild", totals.rebuild);
  visit("extra", totals.extra);
  visit("bytes", totals.bytes);
  visit("command", totals.command);
  visit("survey", totals.survey);
  visit("unit", totals.unit);
  visit("spread", totals.spread);
  visit("variance", totals.variance);
  visit("kernels", totals.kernels);  // and "other" behind it
  visit("phases", totals.phases);
  visit("all_steps", totals.all_steps);
  visit("all_load", totals.all_load);
  visit("slots", totals.slots);
  visit("other_slots", totals.other_slots);
  visit("would_be", totals.would_be);
}

}  // namespace evenkeel::detail
