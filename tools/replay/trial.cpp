#include "replay/trial.hpp"

#include "decide/decision.hpp"
#include "files/numbers.hpp"
#include "files/refusal.hpp"
#include "replay/schedule.hpp"

#include <evenkeel/backends/text.hpp>
#include <evenkeel/monitor/counterfactual.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace evenkeel::tool {

namespace {

constexpr double seconds = 1e-9;

// Slots whose sum is this number.
StepSlots spread(double nanoseconds) {
  StepSlots slots{};
  slots.fill(evenkeel::whole(nanoseconds) / static_cast<std::int64_t>(step_slots));
  slots.front() += evenkeel::whole(nanoseconds) % static_cast<std::int64_t>(step_slots);
  return slots;
}

double level_of(std::int64_t greatest, const Totals& totals) {
  return std::max(0.0, static_cast<double>(greatest) / totals.mean_load() - 1);
}

// The cuts whose level the look has recorded, oldest first. The youngest is the fresh cut. If the
// look has no fresh cut, the list is empty.
std::vector<ReplayTrial::OnRecord> cuts_on_record(std::int64_t end, const Totals& totals) {
  const Counterfactual& would_be = totals.would_be;
  std::vector<ReplayTrial::OnRecord> all;
  if (would_be.fresh < 0) return all;
  for (std::size_t i = 0; i < Counterfactual::earlier_cuts; ++i)
    if (would_be.age[i] > 0 && would_be.earlier[i] >= 0)
      all.push_back({end - would_be.age[i], level_of(would_be.earlier[i], totals)});
  all.push_back({end, level_of(would_be.fresh, totals)});
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.made < b.made; });
  return all;
}

std::optional<double> level_of_cut(std::int64_t made,
                                   const std::vector<ReplayTrial::OnRecord>& record) {
  for (const ReplayTrial::OnRecord& cut : record)
    if (cut.made == made) return cut.level;
  return std::nullopt;
}

double cost_now(const DecisionState& state, const Totals& totals) {
  if (state.ledger.cost.knows()) return state.ledger.cost.cost;
  const auto steps = static_cast<double>(std::max<std::int64_t>(1, totals.steps));
  return state.expected_cost * totals.mean_load() / steps;
}

}  // namespace

// --- The trial run -------------------------------------------------------------------------------

ReplayTrial::ReplayTrial(const JournalHeader& start, const Trigger& trigger) : state_(start.state) {
  result_.version = start.version;
  result_.ranks = start.ranks;
  result_.recorded.trigger = to_text(start.state.trigger);
  result_.trial.trigger = to_text(trigger);
  last_end_ = start.state.step;
  state_.trigger = trigger;
  state_.kept_from = -1;  // a trial only makes fresh cuts
}

void ReplayTrial::add(const JournalLine& line) {
  keep_record(line);
  if (!line.totals || line.totals->ranks <= 0) return;
  const Totals& totals = *line.totals;
  if (first_generation_ < 0) first_generation_ = totals.generation_least;
  const double mean = totals.mean_of_all();
  const Seen seen = {totals,
                     last_end_,
                     totals.step_greatest,
                     std::max(0.0, mean - static_cast<double>(totals.extra)),
                     cost_now(line.before, totals),
                     totals.unfit == 0 && totals.step_least == totals.step_greatest &&
                         totals.steps > 0 && totals.load.sum > 0,
                     totals.generation_greatest == first_generation_};
  learn(seen);
  const std::vector<std::int64_t> acts = due_within(seen);
  account(seen, acts);
  const bool is_straddled = !acts.empty() && acts.back() > seen.end - totals.steps;
  for (const std::int64_t step : acts) act(step, seen);
  ++result_.looks;
  result_.known += seen.is_fit && now_.is_known ? 1 : 0;
  const Verdict verdict = fold(state_, as_tried(seen, is_straddled));
  state_ = verdict.state;
  to_pay_ = 0;
  last_end_ = seen.end;
  if (verdict.decision.action == Action::rebalance && !ordered_)
    ordered_ = seen.end + state_.latency_steps;
  const bool is_ordered = ordered_ && *ordered_ == seen.end;
  if (is_ordered || is_due(state_.trigger, seen.end)) act(seen.end, seen);
}

// Adds the rebalances and times of the recorded run. The first distribution of the recorded run is
// also that of the trial.
void ReplayTrial::keep_record(const JournalLine& line) {
  if (line.outcome && line.taken_at <= line.before.began_at) {
    state_ = rebalanced(state_, line.taken_at, state_.generation + 1, line.kind);
  } else if (line.outcome && line.outcome->moved) {
    result_.recorded.rebalances.push_back(line.taken_at);
  }
  if (!line.totals) return;
  result_.recorded.slowest += line.totals->slowest_of_all() * seconds;
  if (line.before.rebalanced_at > line.before.began_at)
    result_.recorded.spent +=
        (static_cast<double>(line.totals->cost) + line.totals->cost_of_application()) * seconds;
}

// Learns from a look the levels under domains that the trial has or could have.
void ReplayTrial::learn(const Seen& seen) {
  const Totals& totals = seen.totals;
  const double mean = totals.mean_of_all();
  result_.told += totals.would_be.fresh >= 0 || totals.would_be.first >= 0 ? 1 : 0;
  if (seen.is_fit && mean > 0)
    noise_ = std::max(0.0, totals.slowest_of_all() / mean -
                               static_cast<double>(totals.load.greatest) / totals.mean_load());
  if (mean > 0 && seen.is_first)
    first_of_all_ = totals.slowest_of_all() / mean - 1;
  else if (seen.is_fit && totals.would_be.first >= 0)
    first_of_all_ = totals.level_of_others();
  if (seen.is_fit) {
    record_before_ = std::exchange(record_, cuts_on_record(seen.end, totals));
    if (!record_.empty()) fresh_ = record_.back().level;
  }
  update(first_, seen);
  update(now_, seen);
  update(previous_, seen);
}

void ReplayTrial::update(TriedCut& cut, const Seen& seen) const {
  if (!seen.is_fit) {
    cut.is_known = false;
    return;
  }
  const std::int64_t first = seen.is_first ? seen.totals.load.greatest : seen.totals.would_be.first;
  std::optional<double> level;
  if (!cut.is_first())
    level = level_among(cut);
  else if (first >= 0)
    level = level_of(first, seen.totals);
  cut.is_known = level.has_value();
  cut.level = level.value_or(cut.level);
}

// Interpolates the level of a cut between the recorded cuts before and after it. As old cuts drop
// out of the record, other cuts become these two. Then the level that the cut had at the look
// before determines its position between their levels. Returns nothing if the record has fewer than
// two cuts.
std::optional<double> ReplayTrial::level_among(TriedCut& cut) const {
  if (record_.size() < 2) return std::nullopt;
  const auto younger = std::find_if(record_.begin(), record_.end() - 1,
                                    [&](const OnRecord& each) { return each.made >= cut.made; });
  if (younger == record_.begin() || younger->made <= cut.made) return younger->level;
  const auto older = younger - 1;
  if (cut.older != older->made || cut.younger != younger->made) {
    cut.older = older->made;
    cut.younger = younger->made;
    cut.share =
        static_cast<double>(cut.younger - cut.made) / static_cast<double>(cut.younger - cut.older);
    const std::optional<double> old = level_of_cut(cut.older, record_before_),
                                young = level_of_cut(cut.younger, record_before_);
    if (cut.is_known && old && young && *old != *young)
      cut.share = std::clamp((cut.level - *young) / (*old - *young), 0.0, 1.0);
  }
  return younger->level + cut.share * (older->level - younger->level);
}

// The level over all single steps. Noise raises the load of the slowest rank in single steps, under
// any domains.
double ReplayTrial::level_of_all(const TriedCut& cut) const {
  return cut.is_first() ? first_of_all_ : cut.level + noise_;
}

// The steps after which a rebalance is due before the last step of the look ends.
std::vector<std::int64_t> ReplayTrial::due_within(const Seen& seen) {
  std::vector<std::int64_t> acts;
  for (std::int64_t step = seen.begin + 1; step < seen.end; ++step)
    if ((ordered_ && *ordered_ == step) || is_due(state_.trigger, step)) acts.push_back(step);
  return acts;
}

// Rebalances after `step`. If no fresh cut is known, the level is assumed to stay.
void ReplayTrial::act(std::int64_t step, const Seen& seen) {
  previous_ = std::exchange(now_, {step, fresh_.value_or(now_.level), false});
  update(now_, seen);
  state_ = rebalanced(state_, step, state_.generation + 1);
  ordered_.reset();
  to_pay_ += seen.cost;
  result_.trial.rebalances.push_back(step);
  result_.trial.spent += seen.cost * seconds;
}

// Adds up all steps since the last look, each under the cut that the trial would have used.
void ReplayTrial::account(const Seen& seen, const std::vector<std::int64_t>& acts) {
  TriedCut cut = now_;
  double sum = 0;
  std::int64_t begin = seen.begin;
  for (const std::int64_t act : acts) {
    sum += level_of_all(cut) * static_cast<double>(act - begin);
    cut = {act, fresh_.value_or(cut.level), false};
    update(cut, seen);
    begin = act;
  }
  sum += level_of_all(cut) * static_cast<double>(seen.end - begin);
  const auto steps = static_cast<double>(std::max<std::int64_t>(1, seen.end - seen.begin));
  account_level_ = acts.empty() ? level_of_all(cut) : sum / steps;
  result_.steps += seen.totals.all_steps;
  result_.mean += seen.usual * seconds;
  result_.never += seen.usual * (1 + first_of_all_) * seconds;
  result_.trial.slowest += seen.usual * (1 + account_level_) * seconds;
}

// The look as the ranks of the trial would have measured it. If `is_straddled` is true, the epoch
// has two cuts, so the look does not count.
Totals ReplayTrial::as_tried(const Seen& seen, bool is_straddled) const {
  Totals would = seen.totals;
  would.generation_greatest = state_.generation;
  would.generation_least = state_.generation - (is_straddled ? 1 : 0);
  would.cost = evenkeel::whole(to_pay_);
  would.rebuild = would.noted = would.extra = 0;
  const bool has_acted = !now_.is_first();
  Counterfactual& would_be = would.would_be;
  would_be.first = would_be.first_again = Counterfactual::unknown;
  would_be.previous = would_be.previous_again = Counterfactual::unknown;
  if (!seen.is_fit || (seen.is_first && !has_acted)) return would;
  const double mean = would.mean_load();
  const auto greatest_of = [=](const TriedCut& cut) {
    return evenkeel::whole(mean * (1 + cut.level));
  };
  would.phases = {};
  would.load.greatest = std::max(greatest_of(now_), evenkeel::whole(std::ceil(mean)));
  would.load.least = std::min(would.load.least, evenkeel::whole(mean));
  would.all_load = evenkeel::whole(seen.usual * static_cast<double>(would.ranks));
  would.slots = spread(seen.usual * (1 + account_level_));
  if (!has_acted) return would;
  if (first_.is_known) would_be.first = would_be.first_again = greatest_of(first_);
  if (previous_.is_known) would_be.previous = would_be.previous_again = greatest_of(previous_);
  would.other_slots = spread(mean * static_cast<double>(would.all_steps) /
                             static_cast<double>(would.steps) * (1 + first_of_all_));
  return would;
}

JournalTrial try_on_journal(const std::string& path, const Trigger& trigger,
                            const Progress& progress) {
  std::optional<ReplayTrial> trial;
  const FileSource source(path);
  Reading reading =
      read_journal(source, Care::exact,
                   {[&](const JournalHeader& start) { trial.emplace(start, trigger); },
                    [&](const JournalPlace&, const JournalLine& line) { trial->add(line); }},
                   progress);
  JournalTrial result = trial->result();
  result.reading = std::move(reading);
  if (result.told == 0)
    refuse_replay(
        joined({"The journal ", in_quotes(path), " does not hold the loads of other cuts."}),
        "Give a journal that a Balancer has written on two ranks or more.");
  return result;
}

// --- The report ----------------------------------------------------------------------------------

namespace {

nlohmann::ordered_json as_json(const TriedRun& run, double never) {
  return {{"trigger", run.trigger},
          {"rebalances", run.rebalances},
          {"slowest", run.slowest},
          {"spent", run.spent},
          {"saved", run.saved(never)}};
}

std::string as_json(const JournalTrial& trial) {
  const nlohmann::ordered_json report = {{"version", trial.version},
                                         {"ranks", trial.ranks},
                                         {"cut_off", trial.reading.is_cut_off},
                                         {"unfinished", trial.reading.is_unfinished},
                                         {"steps", trial.steps},
                                         {"looks", trial.looks},
                                         {"known_looks", trial.known},
                                         {"mean", trial.mean},
                                         {"never", trial.never},
                                         {"trial", as_json(trial.trial, trial.never)},
                                         {"recorded", as_json(trial.recorded, trial.never)}};
  return report.dump(2) + '\n';
}

}  // namespace

std::string report_of(const JournalTrial& trial, bool is_json) {
  if (is_json) return as_json(trial);
  std::ostringstream text = report_stream(4);
  const auto runs = [&](const char* name, auto&& of) {
    text << name << of(trial.trial) << " (on record: " << of(trial.recorded) << ")\n";
  };
  const auto in_seconds = [](double number) { return rounded(number, 4) + " s"; };
  const auto name = name_of_journal(trial.version, trial.ranks, trial.reading);
  text << "journal    " << name << '\n';
  runs("trigger    ", [](const TriedRun& run) { return run.trigger; });
  text << "steps      " << trial.steps << " in " << trial.looks
       << " looks; the load under other cuts "
       << "is known at " << trial.known << '\n';
  runs("rebalances ",
       [](const TriedRun& run) { return text_of(run.rebalances, ", after step", 8); });
  text << "mean       " << in_seconds(trial.mean) << '\n';
  text << "never      " << in_seconds(trial.never) << '\n';
  runs("slowest    ", [&](const TriedRun& run) { return in_seconds(run.slowest); });
  runs("spent      ", [&](const TriedRun& run) { return in_seconds(run.spent); });
  runs("saved      ", [&](const TriedRun& run) { return in_seconds(run.saved(trial.never)); });
  return text.str();
}

}  // namespace evenkeel::tool
