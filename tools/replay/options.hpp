#pragma once

// The options of `evenkeel replay`: as the user wrote them, and checked.

#include <evenkeel/monitor/trigger.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace evenkeel::tool {

// The values of the options on the command line; empty for options that were not given.
struct ReplayArguments {
  std::optional<std::string> chain, journal;  // exactly one of the two
  std::optional<std::string> ranks, cost, trigger, horizon, start, epoch, latency, write_chain;
  bool json = false;
};

enum class ReplayStart : int { optimal, uniform };

// A replay on a chain, which has the cost of each step.
struct ChainReplayOptions {
  static constexpr std::int64_t most_ranks = std::int64_t{1} << 24;
  static constexpr std::int64_t most_steps_of_epoch = 1'000'000;

  std::string chain;
  int ranks = 1;
  double cost = 0;  // of a rebalance, in mean rank loads of the first step
  Trigger trigger = CostAware{};
  std::optional<std::int64_t> horizon = {};  // empty means the length of the chain; 0 is unknown
  ReplayStart start = ReplayStart::optimal;
  std::int64_t epoch_steps = 1;  // between two looks; if it is 0, the trigger chooses
  std::int64_t latency = 0;      // steps from a look to its rebalance
  // The cost of a survey, in mean rank loads of the first step. A survey finds the loads under
  // other cuts. Its cost is not part of the total. As in a program, the more expensive a survey is,
  // the fewer looks take one.
  double survey = 0;
  bool is_start_asked = false;  // the first cut counts as requested by the application
  std::optional<std::string> write_chain = {};
  bool json = false;
};

// A replay of a recorded run.
struct JournalReplayOptions {
  std::string journal;
  std::optional<Trigger> trigger = {};  // to try on the run; if empty, repeat its own decisions
  std::optional<std::string> write_chain = {};
  bool json = false;
};

// Throws an Error if options of a chain are given with the journal, or if the trigger is invalid.
// Does not open the file.
JournalReplayOptions checked_journal(const ReplayArguments& asked);

// Throws an Error for values that are invalid whatever the files hold. Does not open the files.
ChainReplayOptions checked(const ReplayArguments& asked);

}  // namespace evenkeel::tool
