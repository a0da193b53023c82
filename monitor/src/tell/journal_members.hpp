#pragma once

// The members of all objects in a journal, by name and in the order of the file. Writing, reading
// and checking a journal use this one list. A visitor has
//
//   visit(key, member)              a value, in the form of its type
//   visit(key, member, is_known) a value that is null in the file unless is_known
//   visit.unless_empty(key, member) a value that the file does not contain if it is empty
//   visit.shown(key, value) a figure for people, made from other members; never read back
//
// and further functions for members with a special form in the file.

#include "decide/state_members.hpp"
#include "tell/journal.hpp"

#include <functional>

namespace evenkeel::detail {

template <Some<Counterfactual> T, class Visitor>
void for_each_member(T& would_be, Visitor&& visit) {
  visit("first", would_be.first);
  visit("previous", would_be.previous);
  visit("first_again", would_be.first_again);
  visit("previous_again", would_be.previous_again);
  visit("fresh", would_be.fresh);
  visit("as_weighed", would_be.as_weighed);
  visit("advised", would_be.advised);
  visit("guessed", would_be.guessed);
  visit("moved", would_be.moved);
  visit("earlier", would_be.earlier);
  visit("age", would_be.age);
}

template <Some<RankMemory> T, class Visitor>
void for_each_member(T& memory, Visitor&& visit) {
  visit("rank", memory.rank);
  visit("bytes", memory.bytes);
  visit("limit", memory.limit);
  visit("steps_left", memory.steps_left);
}

template <Some<MemoryTotals> T, class Visitor>
void for_each_member(T& memory, Visitor&& visit) {
  visit("fullest", memory.fullest);
  visit("soonest", memory.soonest);
  visit("asked", memory.asked);
}

template <Some<Totals> T, class Visitor>
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
  visit("noted", totals.noted);
  visit("extra", totals.extra);
  visit("bytes", totals.bytes);
  visit("rebalances", totals.rebalances);
  visit("first_cost", totals.first_cost);
  visit("first_bytes", totals.first_bytes);
  visit("command", totals.command);
  visit("survey", totals.survey);
  visit("unit", totals.unit);
  visit("spread", totals.spread);
  visit("variance", totals.variance);
  visit("kernels", totals.kernels);  // and "other" after it
  visit("phases", totals.phases);
  visit("all_steps", totals.all_steps);
  visit("all_load", totals.all_load);
  visit("slots", totals.slots);
  visit("other_slots", totals.other_slots);
  visit("would_be", totals.would_be);
  visit.unless_empty("memory", totals.memory);
}

template <Some<Account> T, class Visitor>
void for_each_member(T& account, Visitor&& visit) {
  visit("steps", account.steps);
  visit("measured_steps", account.measured_steps);
  visit("mean", account.mean);
  visit("actual", account.actual);
  visit("never", account.never);
  visit("knows_never", account.knows_never);
  visit("uncertainty", account.uncertainty);
  visit("own_cost", account.own_cost);
  visit("rebuild_cost", account.rebuild_cost);
  visit("advised", account.advised);
}

template <Some<CostTable::Row> T, class Visitor>
void for_each_member(T& row, Visitor&& visit) {
  visit("set", row.set);
  visit.either("type", "feature", row.is_feature, row.number);
  visit("amount", row.amount);
  visit("seconds", row.seconds);
  visit("error", row.error);
}

template <Some<CostTable> T, class Visitor>
void for_each_member(T& costs, Visitor&& visit) {
  visit("rows", costs.rows);
  visit("fixed_seconds", costs.fixed_seconds);
  visit("noise", costs.noise);
  visit("condition", costs.condition);
  visit("frozen", costs.frozen);
}

template <Some<Metrics::SlowRank> T, class Visitor>
void for_each_member(T& slow, Visitor&& visit) {
  visit("rank", slow.rank);
  visit("percent", slow.percent);
  visit("error", slow.error);
  visit("waiting", slow.waiting);
  visit("since", slow.since);
  visit("speed", slow.speed);
}

template <Some<DomainSections::Plane> T, class Visitor>
void for_each_member(T& plane, Visitor&& visit) {
  visit.pair("axes", plane.across, plane.up);
  visit("at", plane.at);
  visit.pair("cells", plane.columns, plane.rows);
  visit.runs("owners", plane.owners);
}

template <Some<DomainSections> T, class Visitor>
void for_each_member(T& domains, Visitor&& visit) {
  visit("low", domains.low);
  visit("high", domains.high);
  visit("planes", domains.planes);
}

template <Some<JournalHeader> T, class Visitor>
void for_each_member(T& header, Visitor&& visit) {
  visit("version", header.version);
  visit("ranks", header.ranks);
  visit("state", header.state);
  visit.options("options", header.options);
  visit("kernels", header.kernels);
  visit("restored", header.restored);
  visit.unless_empty("name", header.name);
}

template <Some<JournalFinish> T, class Visitor>
void for_each_member(T& finish, Visitor&& visit) {
  visit.shown("finished", true);
  visit("step", finish.step);
  visit("state", finish.state);
  visit("account", finish.account);
  visit("summary", finish.summary);
}

// A figure that is computed from totals; empty without totals.
inline std::optional<double> figure_of(const std::optional<Totals>& totals,
                                       double (Totals::*figure)() const noexcept) {
  return totals ? std::optional(std::invoke(figure, *totals)) : std::nullopt;
}

// The gain of the last rebalance so far, in seconds; empty without a rebalance, or without a look
// since then.
inline std::optional<double> realised_gain_of(const Ledger& ledger) {
  if (ledger.last.open == 0 || ledger.last.looks_since == 0) return std::nullopt;
  return ledger.last.net() * 1e-9;
}

template <Some<JournalLine> T, class Visitor>
void for_each_member(T& line, Visitor&& visit) {
  auto& outcome = visit.part(line.outcome);
  const bool is_taken = line.outcome.has_value();
  visit("step", line.step);
  visit.shown("generation", line.before.generation);
  visit.totals("totals", line);
  visit("state", line.before);
  visit("decision", line.decision.action);
  visit("cause", line.decision.reason);
  visit("reason", line.reason);
  visit.seconds("predicted_gain", line.decision.predicted_gain, line.totals.has_value());
  visit("taken_at", line.taken_at, line.taken_at >= 0);
  visit.unless_empty("decided_at", line.decided_at);
  visit("kind", line.kind, is_taken);
  visit("changed", outcome.moved, is_taken);
  visit.shown("trigger", line.before.trigger);
  visit.kernels("kernels", line);
  visit.shown("coverage", figure_of(line.totals, &Totals::coverage));
  visit.shown("lambda", figure_of(line.totals, &Totals::lambda));
  visit.shown("imbalance_percent", figure_of(line.totals, &Totals::imbalance_percent));
  visit.shown("wasted_seconds", figure_of(line.totals, &Totals::wasted_seconds));
  visit("cost", outcome.seconds, is_taken);
  visit.shown("realised_gain", realised_gain_of(line.before.ledger));
  visit("lambda_foreseen", outcome.lambda, outcome.lambda > 0);
  visit.phases("phases_foreseen", outcome);
  visit("objects_moved", outcome.objects_moved);
  visit("bytes_moved", outcome.bytes_moved);
  visit("seconds", outcome.stages);
  visit("costs", line.costs, !line.costs.empty());
  visit.ranks("per_rank", line);
  visit.unless_empty("domains", outcome.domains);
  visit.unless_empty("slow_rank", line.slow);
}

}  // namespace evenkeel::detail
