#include "report/model.hpp"

#include "decide/decision.hpp"
#include "tell/log.hpp"

#include <algorithm>
#include <cmath>

namespace evenkeel::tool::report {

namespace {

constexpr double seconds = 1e-9;
constexpr std::size_t most_columns = 1024, most_rebalances = 1000, most_changes = 12,
                      most_spells = 20;
constexpr std::size_t most_names = 64;  // of kernels, stages and causes
constexpr std::size_t most_unseen = 64;

// The entry of this name. If there are too many names, it is the entry "further".
template <class Value>
Value& entry_of(std::map<std::string, Value>& all, const std::string& name) {
  if (all.size() >= most_names && !all.contains(name)) return all["further"];
  return all[name];
}

// Shares refer to the mean load of the previous look, so the first look has no known shares.
bool knows_shares(const JournalLine& look) {
  return !rank_shares(look).empty() && look.before.mean_load > 0;
}

// True for a Balancer whose trigger acts, so that its rebalances are more than advice.
bool moves_by_itself(const DecisionState& state) {
  return state.kept_from >= 0 && (judges_the_load(state.trigger) || acts_by_steps(state.trigger));
}

// The nanoseconds that the slowest rank would have taken under the first domains, if known. After a
// rebalance, they are computed from the average load, without the extra time of kernels.
std::optional<double> never_of(const JournalLine& look, std::int64_t first_generation) {
  const Totals& totals = *look.totals;
  const double usual = std::max(0.0, totals.mean_of_all() - static_cast<double>(totals.extra));
  if (totals.generation_greatest == first_generation) return totals.slowest_of_all();
  if (totals.would_be.first >= 0 && totals.mean_load() > 0)
    return usual * (1 + totals.level_of_others());
  return std::nullopt;
}

}  // namespace

// --- Columns -------------------------------------------------------------------------------------

void TimeColumn::join(const TimeColumn& next) {
  const bool says_more = next.rebalances > 0 || rebalances == 0;
  end = next.end;
  looks += next.looks;
  rebalances += next.rebalances;
  slowest.add(next.slowest);
  average.add(next.average);
  never.add(next.never);
  lambda.add(next.lambda);
  imbalance_percent.add(next.imbalance_percent);
  worst_lambda = std::max(worst_lambda, next.worst_lambda);
  worst_imbalance_percent = std::max(worst_imbalance_percent, next.worst_imbalance_percent);
  if (loads.size() < next.loads.size()) loads.resize(next.loads.size());
  for (std::size_t i = 0; i < next.loads.size(); ++i) loads[i] += next.loads[i];
  loads_weight += next.loads_weight;
  if (!says_more) return;
  step = next.step;
  decision = next.decision;
  cause = next.cause;
  reason = next.reason;
}

namespace {

// A column with the decision of this line.
TimeColumn column_of(const JournalLine& line) {
  TimeColumn column;
  column.end = line.step;
  column.rebalances = line.outcome ? 1 : 0;
  column.step = line.step;
  column.decision = name_of(line.decision.action);
  column.cause = name_of(line.decision.reason);
  column.reason = line.reason;
  return column;
}

}  // namespace

void ModelBuilder::add_unseen(const JournalLine& line) {
  TimeColumn column = column_of(line);
  column.looks = 0;
  if (unseen_.size() < most_unseen)
    unseen_.push_back(std::move(column));
  else
    unseen_.back().join(column);
}

void ModelBuilder::add_column(const JournalLine& look) {
  const Totals& totals = *look.totals;
  TimeColumn column = column_of(look);
  column.begin = columns_.entries().empty() ? model_.first_step : columns_.entries().back().end;
  for (; !unseen_.empty() && unseen_.front().end <= look.step; unseen_.pop_front()) {
    unseen_.front().end = look.step;
    column.join(unseen_.front());
  }
  if (totals.all_steps > 0) {
    const auto steps = static_cast<double>(totals.all_steps);
    column.slowest = {totals.slowest_of_all() * seconds, steps};
    column.average = {totals.mean_of_all() * seconds, steps};
    if (const auto never = never_of(look, model_.last.outlook.first.generation))
      column.never = {*never * seconds, steps};
  }
  if (totals.steps > 0 && totals.load.sum > 0) {
    const auto steps = static_cast<double>(totals.steps);
    column.worst_lambda = totals.lambda();
    column.worst_imbalance_percent = totals.imbalance_percent();
    column.lambda.add(column.worst_lambda, steps);
    column.imbalance_percent.add(column.worst_imbalance_percent, steps);
  }
  add_loads(look, column);
  columns_.add(std::move(column));
}

void ModelBuilder::add_loads(const JournalLine& look, TimeColumn& column) {
  const std::vector<double> seconds_of_ranks = rank_seconds(look);
  if (!seconds_of_ranks.empty() && look.totals->steps > 0) {
    const auto steps = static_cast<double>(look.totals->steps);
    for (const double load : seconds_of_ranks) column.loads.push_back(load * steps);
    column.loads_weight = steps;
  } else if (knows_shares(look)) {
    model_.shows_ranks = false;
    for (const std::int64_t count : rank_shares(look)) {
      column.loads.push_back(static_cast<double>(count));
      column.loads_weight += static_cast<double>(count);
    }
  }
}

// --- Rebalances ----------------------------------------------------------------------------------

void ModelBuilder::add_rebalance(const JournalLine& look) {
  keep_open();
  open_.emplace();
  open_->at = look.taken_at;
  open_->decided_at = look.decided_at.value_or(look.step);
  open_->kind = look.kind;
  open_->outcome = *look.outcome;
  note_domains(*open_);
  open_->cause = name_of(look.decision.reason);
  open_->reason = look.reason;
  if (look.totals && look.totals->load.sum > 0) open_->lambda_before = look.totals->lambda();
  open_->is_first = open_->at <= look.before.began_at;
  if (open_->is_first) return;
  for (const auto& [stage, took] : open_->outcome.stages) entry_of(model_.stages, stage) += took;
  shadow_.reset();
}

// Moves the domains out of the rebalance. The domains before it are the result of the last
// rebalance whose domains are known.
void ModelBuilder::note_domains(Rebalance& rebalance) {
  if (rebalance.outcome.domains.planes.empty()) return;
  last_change_ = {rebalance.at, std::move(last_change_.after),
                  std::exchange(rebalance.outcome.domains, {})};
  changes_.add(last_change_);
}

// Adds to the last rebalance what a look reports on it.
void ModelBuilder::follow(const JournalLine& look) {
  if (!open_ || !look.totals || look.totals->load.sum <= 0) return;
  follow_books();
  const bool is_of_old = look.totals->generation_least != look.before.generation;
  if (!is_of_old && !open_->lambda_after) open_->lambda_after = look.totals->lambda();
}

void ModelBuilder::follow_books() {
  const Ledger& ledger = model_.last.ledger;
  if (!open_ || ledger.last.open == 0 || ledger.last.looks_since == 0) return;
  open_->predicted = ledger.last.predicted * seconds;
  open_->realised = ledger.last.net() * seconds;
}

void ModelBuilder::keep_open() {
  if (!open_) return;
  if (!open_->is_first) ++(open_->outcome.moved ? model_.changing : model_.unchanging);
  rebalances_.add(std::move(*open_));
  open_.reset();
}

void ModelBuilder::add_slow(const Metrics::SlowRank& rank, std::int64_t step) {
  std::vector<SlowSpell>& all = model_.slow;
  const bool goes_on =
      !all.empty() && all.back().rank.rank == rank.rank && all.back().rank.since == rank.since;
  if (!goes_on && all.size() == most_spells) return;
  if (!goes_on) all.emplace_back();
  all.back() = {rank, step};
}

// --- Line by line --------------------------------------------------------------------------------

ModelBuilder::ModelBuilder()
    : columns_(most_columns), rebalances_(most_rebalances), changes_(most_changes) {
  model_.start.version.clear();  // not known yet
}

// A second header, from another run in the same file, changes nothing.
void ModelBuilder::start(const JournalHeader& start) {
  if (has_started_ || model_.looks > 0) return;
  has_started_ = true;
  model_.start = start;
  model_.ranks = std::max<std::int64_t>(1, start.ranks);
  model_.last = start.state;
  model_.first_step = model_.last_step = start.state.step;
  for (const auto& [key, value] : entries_of(start.options)) model_.options[key] = value;
  const auto deterministic = model_.options.find("deterministic");
  model_.is_deterministic = deterministic != model_.options.end() && deterministic->second == "on";
  if (!moves_by_itself(start.state)) shadow_.emplace(start.state);
}

void ModelBuilder::add(const JournalLine& look) {
  Cause& cause = entry_of(model_.causes, name_of(look.decision.reason));
  cause.decision = name_of(look.decision.action);
  ++cause.looks;
  if (!look.costs.empty()) model_.costs = look.costs;
  if (look.slow) add_slow(look.slow, look.step);
  if (look.totals && look.totals->ranks > 0) {
    if (!has_started_ && model_.looks == 0) model_.ranks = look.totals->ranks;
    ++model_.looks;
    if (shadow_) shadow_->look(*look.totals);
    model_.last = accounted(look.before, *look.totals);
    follow(look);
    add_column(look);
    add_kernels(look);
    add_memory(look.totals->memory);
  } else {
    model_.last = look.before;
    if (look.outcome) add_unseen(look);
  }
  model_.last_step = std::max(model_.last_step, look.step);
  if (look.outcome) add_rebalance(look);
}

void ModelBuilder::add_memory(const MemoryTotals& memory) {
  model_.memory = memory;
  const RankMemory& next = memory.fullest;
  if (next.is_known() && (!model_.fullest.is_known() || next.share() > model_.fullest.share()))
    model_.fullest = next;
}

void ModelBuilder::add_kernels(const JournalLine& look) {
  const std::int64_t steps = look.totals->steps;
  const auto kernels = kernel_seconds(look);
  if (!kernels || steps <= 0) return;
  for (const auto& [name, least, average, greatest] : *kernels) {
    KernelShare& kernel = entry_of(model_.kernels, name);
    kernel.least.add(least, static_cast<double>(steps));
    kernel.average.add(average, static_cast<double>(steps));
    kernel.greatest.add(greatest, static_cast<double>(steps));
  }
}

// The last line of the run has more data than the looks.
void ModelBuilder::finish(const JournalFinish& finish) {
  finish_ = finish;
  model_.last = finish.state;
  model_.last_step = std::max(model_.last_step, finish.step);
  follow_books();
}

// The summary that the log prints, for the stretch of the run that the journal covers.
std::string ModelBuilder::summary() const {
  Summary run;
  run.state = model_.last;
  run.account = model_.account;
  run.steps = model_.last_step - model_.first_step;
  run.ranks = static_cast<int>(std::min<std::int64_t>(model_.ranks, 1 << 30));
  run.is_deterministic = model_.is_deterministic;
  run.moves = !shadow_;
  run.advices = shadow_ ? shadow_->rebalances() : 0;
  return summary_of(run);
}

// Counts the last rebalance. The state of the last line does not include it yet.
void ModelBuilder::count_open() {
  DecisionState& last = model_.last;
  if (last.rebalanced_at == open_->at || open_->is_first) return;
  ++last.rebalances;
  last.ledger.gains.unchanged += open_->outcome.moved ? 0 : 1;
}

Model ModelBuilder::result(Reading reading) && {
  model_.reading = std::move(reading);
  if (open_ && !finish_) count_open();
  keep_open();
  model_.one_in = rebalances_.stride();
  model_.rebalances = std::move(rebalances_).take();
  model_.domain_changes = std::move(changes_).take();
  if (!model_.domain_changes.empty() && model_.domain_changes.back().step != last_change_.step)
    model_.domain_changes.push_back(std::move(last_change_));
  model_.looks_per_column = columns_.per_entry();
  model_.columns = std::move(columns_).take();
  model_.account = finish_ ? finish_->account : account_of(model_.last.ledger);
  if (shadow_ && !finish_) model_.account.advised = std::max(0.0, shadow_->gain()) * seconds;
  model_.summary = finish_ ? finish_->summary : summary();
  return std::move(model_);
}

JournalHandlers handlers_of(ModelBuilder& builder) {
  return {[&](const JournalHeader& start) { builder.start(start); },
          [&](const JournalPlace&, const JournalLine& look) { builder.add(look); },
          [&](const JournalFinish& finish) { builder.finish(finish); }};
}

}  // namespace evenkeel::tool::report
