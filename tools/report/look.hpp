#pragma once

// What a report takes from the lines of a journal. Numbers that a line lacks are left as they are
// here, so that journals of other versions of evenkeel can be shown as far as they go.

#include "agree/epoch.hpp"
#include "decide/state.hpp"

#include <evenkeel/monitor/account.hpp>
#include <evenkeel/monitor/cost_table.hpp>
#include <evenkeel/monitor/domain_sections.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel::tool::report {

// The first line.
struct Start {
  std::string version, name;
  std::int64_t ranks = 0;
  State state;
  std::map<std::string, std::string> options;
};

// Seconds per step over the ranks.
struct KernelSeconds {
  double least = 0, average = 0, greatest = 0;
};

// What came of a rebalance.
struct Taken {
  std::int64_t at = 0;  // the step after which it was made
  std::string kind;
  // Whether it has made new domains; none: a journal of before this was told, whose next line shows
  // it.
  std::optional<bool> changed;
  std::optional<double> seconds, lambda_foreseen;
  std::int64_t objects = 0, bytes = 0;
  std::vector<std::pair<std::string, double>> stages;  // seconds
  DomainSections domains;                              // that it has made
};

// A line between the first and the last.
struct Look {
  std::int64_t step = 0, generation = 0;
  State before;
  std::optional<Totals> totals;  // none: a rebalance that no look asked for
  std::string decision, cause, reason;
  std::optional<double> predicted_gain;  // seconds
  std::optional<Taken> taken;
  std::vector<std::pair<std::string, KernelSeconds>> kernels;
  std::vector<double> per_rank;         // seconds per step; empty where they are not known
  std::vector<std::int64_t> histogram;  // ranks by their share of the last mean, as LoadPicture has
  std::optional<CostTable> costs;
};

// The last line of a run that has ended with finish().
struct Finish {
  std::int64_t step = 0;
  State state;  // with all steps in its books
  Account account;
  std::string summary;  // as in the log
};

// Throw an exception where the line is not one of a journal.
Start start_from(const nlohmann::json& line);
Look look_from(const nlohmann::json& line);
Finish finish_from(const nlohmann::json& line);

}  // namespace evenkeel::tool::report
