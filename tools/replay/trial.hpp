#pragma once

// Tries another trigger on a recorded run, and finds its decisions and their gain. For each look,
// the journal holds the levels of some other cuts. The level of a cut is the difference between its
// greatest load and the mean load, as a share of the mean load. For a cut that was made between two
// recorded cuts, the level is interpolated linearly. docs/tool.md has the rules.

#include "journal/reader.hpp"

#include <evenkeel/monitor/trigger.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace evenkeel::tool {

// Totals over the steps that looks cover.
struct TriedRun {
  std::string trigger;
  std::vector<std::int64_t> rebalances;  // the steps after which they took place
  double slowest = 0, spent = 0;         // seconds

  double saved(double never) const noexcept { return never - slowest - spent; }
};

struct JournalTrial {
  std::string version;
  std::int64_t ranks = 0;
  std::int64_t looks = 0, known = 0;  // known: looks with a known load under the trial's cut
  std::int64_t told = 0;              // looks that have recorded a load under another cut
  std::int64_t steps = 0;
  // Seconds: `mean` of the average rank, `never` of the slowest rank without any rebalance.
  double mean = 0, never = 0;
  TriedRun trial, recorded;
  Reading reading = {};
};

class ReplayTrial {
 public:
  // A cut whose level a look has recorded.
  struct OnRecord {
    std::int64_t made;  // the step after which it was made
    double level;       // the greatest load above the mean load, as a share of the mean load
  };

  ReplayTrial(const JournalHeader& start, const Trigger& trigger);

  // Adds the lines of a journal in their order.
  void add(const JournalLine& line);
  const JournalTrial& result() const noexcept { return result_; }

 private:
  // Domains that the ranks of the trial have or had, and the last known level under them.
  struct TriedCut {
    std::int64_t made = -1;  // the step after which it was made; negative for the first domains
    double level = 0;
    bool is_known = false;  // for the current look
    // The recorded cuts just before and after this cut. `share` is its position between their
    // levels: 0 at the younger cut, 1 at the older one.
    std::int64_t older = -1, younger = -1;
    double share = 0;
    bool is_first() const noexcept { return made < 0; }
  };
  // A look as it was recorded: levels, and nanoseconds of all steps since the look before.
  struct Seen {
    const Totals& totals;
    std::int64_t begin, end;  // steps
    double usual;             // of the average rank, without its extra time after a rebalance
    double cost;              // of a rebalance
    bool is_fit, is_first;    // is_first: the recorded run still has its first domains
  };

  void learn(const Seen& seen);
  void update(TriedCut& cut, const Seen& seen) const;
  std::optional<double> level_among(TriedCut& cut) const;
  double level_of_all(const TriedCut& cut) const;
  std::vector<std::int64_t> due_within(const Seen& seen);
  void act(std::int64_t step, const Seen& seen);
  void account(const Seen& seen, const std::vector<std::int64_t>& acts);
  Totals as_tried(const Seen& seen, bool is_straddled) const;
  void keep_record(const JournalLine& line);

  DecisionState state_;
  JournalTrial result_;
  TriedCut first_, now_, previous_;
  double first_of_all_ = 0;  // level under the first domains, over all steps
  double noise_ = 0;         // by which the level of single steps exceeds that of an epoch
  std::optional<double> fresh_;
  std::vector<OnRecord> record_, record_before_;  // of the current look, and of the one before it
  std::optional<std::int64_t> ordered_;           // the step after which to rebalance
  std::int64_t first_generation_ = -1, last_end_ = 0;
  double account_level_ = 0;  // of the current look
  double to_pay_ = 0;         // nanoseconds of rebalances that the next look reports
};

// Throws an Error of bad input if the file is not a journal, or holds no loads of other cuts.
JournalTrial try_on_journal(const std::string& path, const Trigger& trigger,
                            const Progress& progress = {});

std::string report_of(const JournalTrial& trial, bool is_json);

}  // namespace evenkeel::tool
