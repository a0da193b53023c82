#pragma once

// Journals in the format of a run. All their figures can be computed by hand.
//
// A step of the average rank takes 1 ms, and there is a look after every 8 steps. At look k since
// the last rebalance, rank 0 takes 1 + k / 10 ms, and the other ranks share the rest equally. Under
// the first domains, rank 0 would take 1 + i / 10 ms at look i of the run. Both k and i count from
// 0. The trigger acts at lambda 1.45, which is at k = 5.

#include "tell/journal.hpp"

#include <evenkeel/monitor/options.hpp>
#include <evenkeel/monitor/options_text.hpp>

#include <algorithm>
#include <cmath>

namespace evenkeel::test {

struct RecordedRun {
  int ranks = 4;
  std::int64_t looks = 40;
  std::string name = "fluid", kernel = "force";
  bool finishes = true;  // with the account of the run as the last line
  bool has_domains = true;
  bool has_costs = true;
  bool some_change_nothing = false;  // every other rebalance
  bool fills_memory = false;         // by each look, rank 3 gets 1 GB of its 80 GB
};

class RunRecorder {
 public:
  static constexpr std::int64_t steps = 8, looks_per_cut = 6;
  static constexpr std::int64_t millisecond = 1'000'000;
  static constexpr std::int64_t own_cost = 2 * millisecond, rebuild = 1 * millisecond;

  explicit RunRecorder(RecordedRun run) : run_(std::move(run)) {
    state_.trigger = Threshold{.lambda = 1.45};
    state_.kept_from = 1;
    add(to_json(
        JournalHeader{to_text(options()), run_.ranks, {run_.kernel}, state_, false, run_.name}));
  }

  // All lines with their line feeds.
  std::vector<std::string> record() && {
    for (std::int64_t look = 0; look < run_.looks; ++look) record_look(look);
    if (run_.finishes)
      add(to_json(
          JournalFinish{run_.looks * steps, state_, account_of(state_.ledger), "All went well."}));
    return std::move(lines_);
  }

 private:
  Options options() const {
    Options options;
    options.trigger = state_.trigger;
    return options;
  }

  void record_look(std::int64_t look) {
    const std::int64_t since = look % looks_per_cut;
    JournalLine line;
    line.step = (look + 1) * steps;
    line.before = state_;
    line.totals = totals(look, since);
    line.kernels = {run_.kernel};
    line.picture = picture(since);
    const Verdict verdict = fold(state_, *line.totals);
    line.decision = verdict.decision;
    line.reason = explain(state_, *line.totals, verdict.decision);
    state_ = verdict.state;
    if (verdict.decision.action == Action::rebalance) take(line);
    add(to_json(line));
  }

  // The load of rank 0 is above the average. The other ranks have equal loads below it.
  double load_of(int rank, std::int64_t since) const {
    const double most = 1 + 0.1 * static_cast<double>(since);
    return rank == 0 ? most : (run_.ranks - most) / (run_.ranks - 1);
  }
  static std::int64_t nanoseconds(double milliseconds) {
    return std::llround(milliseconds * static_cast<double>(millisecond));
  }

  Totals totals(std::int64_t look, std::int64_t since) const {
    const std::int64_t most = nanoseconds(load_of(0, since));
    const std::int64_t least = run_.ranks > 1 ? nanoseconds(load_of(1, since)) : most;
    const std::int64_t under_first = nanoseconds(1 + 0.1 * static_cast<double>(look));
    Totals all;
    all.step_least = all.step_greatest = (look + 1) * steps;
    all.generation_least = all.generation_greatest = state_.generation;
    all.ranks = run_.ranks;
    all.steps = all.all_steps = steps;
    all.load = {run_.ranks * steps * millisecond, steps * least, steps * most};
    all.duration = {run_.ranks * steps * 2 * millisecond, steps * 2 * millisecond,
                    steps * 2 * millisecond};
    all.objects = {1000, 1, 999};
    all.unit = 1000;
    all.kernels.fill(RankTally::of(0));
    all.phases.fill(RankTally::of(0));
    all.kernels[0] = all.phases[0] = all.load;
    all.all_load = all.load.sum;
    std::fill_n(all.slots.begin(), steps, most);
    constexpr std::int64_t gigabyte = 1'000'000'000;
    if (run_.fills_memory)
      all.memory.fullest =
          all.memory.soonest = {3, (look + 1) * gigabyte, 80 * gigabyte, (79 - look) * steps};
    if (state_.rebalances == 0) return all;
    std::fill_n(all.other_slots.begin(), steps, under_first);
    all.would_be.first = steps * under_first;
    all.would_be.previous =
        steps * nanoseconds(1 + 0.1 * static_cast<double>(since + looks_per_cut));
    all.would_be.fresh = steps * millisecond;
    if (since == 0) {
      all.cost = own_cost;
      all.rebuild = rebuild;
      all.bytes = 4096;
    }
    return all;
  }

  LoadPicture picture(std::int64_t since) const {
    const auto of = [&](int rank) {
      return picture_of(steps * nanoseconds(load_of(rank, since)), rank, run_.ranks,
                        state_.mean_load);
    };
    LoadPicture all = of(0);
    if (run_.ranks > LoadPicture::slots) {  // one bin has all ranks except the first
      LoadPicture others = of(1);
      for (std::int64_t& count : others.values) count *= run_.ranks - 1;
      combine(all, others);
    } else {
      for (int rank = 1; rank < run_.ranks; ++rank) combine(all, of(rank));
    }
    return all;
  }

  void take(JournalLine& line) {
    line.taken_at = line.step;
    line.kind = RebalanceKind::fresh;
    const bool changes = !run_.some_change_nothing || state_.rebalances % 2 == 0;
    line.outcome = {.moved = changes,
                    .objects_moved = changes ? 10 : 0,
                    .bytes_moved = changes ? 4096 : 0,
                    .seconds = 2e-3,
                    .lambda = 1.0,
                    .stages = {{"cut", 0.5e-3}, {"exchange", 1.5e-3}}};
    state_ = rebalanced(state_, line.step, state_.generation + (changes ? 1 : 0));
    if (run_.has_domains) line.outcome->domains = domains();
    if (run_.has_costs)
      line.costs.rows = {{.number = 0, .amount = 900, .seconds = 1e-6, .error = 1e-8},
                         {.number = 1, .amount = 100, .seconds = 7e-6, .error = 2e-7}};
  }

  // Stripes. A rebalance shifts them by a cell.
  DomainSections domains() const {
    constexpr int cells = 8;
    DomainSections::Plane plane = {0, 1, 0, cells, cells, {}};
    for (int i = 0; i < cells * cells; ++i)
      plane.owners.push_back(
          static_cast<int>((i % cells + state_.generation) % std::min(run_.ranks, cells)));
    return {{0, 0}, {2, 1}, {plane}};
  }

  void add(const std::string& line) { lines_.push_back(line + '\n'); }

  RecordedRun run_;
  DecisionState state_;
  std::vector<std::string> lines_;
};

inline std::vector<std::string> lines_of(RecordedRun run) {
  return RunRecorder(std::move(run)).record();
}

// A rebalance after this step for which no look has asked.
inline JournalLine due_after(std::int64_t step) {
  JournalLine line;
  line.step = line.taken_at = step;
  line.decision = {Action::rebalance, Reason::due};
  line.reason = "the step is due";
  line.outcome = {.moved = true, .seconds = 1e-3};
  return line;
}

inline std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

inline std::string journal_of(RecordedRun run) { return text_of(lines_of(std::move(run))); }

}  // namespace evenkeel::test
