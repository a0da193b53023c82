#pragma once

// What `evenkeel replay` was asked for: as it was written, and checked.

#include <evenkeel/monitor/trigger.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace evenkeel::tool {

// The values of the options on the command line; nothing where there were none.
struct ReplayArguments {
  std::optional<std::string> chain, journal;  // one of them
  std::optional<std::string> ranks, cost, trigger, horizon, start, epoch, latency;
  bool json = false;
};

enum class Start : int { optimal, uniform };

// A run through a chain: what a step costs, and when ranks would have been cut anew.
struct ChainReplayOptions {
  static constexpr std::int64_t most_ranks = std::int64_t{1} << 24;
  static constexpr std::int64_t most_steps_of_epoch = 1'000'000;

  std::string chain;
  int ranks = 1;
  double cost = 0;  // of a rebalance, in mean rank loads of the first step
  Trigger trigger = CostAware{};
  std::optional<std::int64_t> horizon = {};  // nothing: as long as the chain is; 0: unknown
  Start start = Start::optimal;
  std::int64_t epoch_steps = 1;  // between two looks; 0: as the trigger asks for
  std::int64_t latency = 0;      // steps from a look to what it leads to
  bool json = false;
};

// A run that is on record.
struct JournalReplayOptions {
  std::string journal;
  std::optional<Trigger> trigger = {};  // to try on it; nothing: what it did is decided again
  bool json = false;
};

// An Error where something of a chain is given beside the journal, and for a trigger that makes no
// sense. The file is not touched.
JournalReplayOptions checked_journal(const ReplayArguments& asked);

// An Error for what makes no sense, whatever the files hold. The files are not touched.
ChainReplayOptions checked(const ReplayArguments& asked);

}  // namespace evenkeel::tool
