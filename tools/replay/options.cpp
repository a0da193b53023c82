#include "replay/options.hpp"

#include "decide/decision.hpp"
#include "files/array.hpp"
#include "files/refusal.hpp"

#include <evenkeel/backends/text.hpp>

#include <cmath>
#include <string_view>
#include <utility>

namespace evenkeel::tool {

namespace {

std::int64_t whole(std::string_view option, const std::string& text, std::int64_t least,
                   std::int64_t most) {
  const auto number = integer_from_text(text);
  if (!number || *number < least || *number > most)
    refuse_replay.value(option, text,
                        joined({"Give a whole number from ", std::to_string(least), " to ",
                                std::to_string(most), "."}));
  return *number;
}

double cost_of(const std::string& text) {
  const auto cost = real_from_text(text);
  if (!cost || !std::isfinite(*cost) || *cost < 0)
    refuse_replay.value("--cost", text,
                        "Give the cost of a rebalance, a number of at least 0; its unit is the "
                        "mean load of a rank in the first step.");
  return *cost;
}

std::string which_triggers() { return joined({"Give one of: ", trigger_texts(false), "."}); }

// The message names the problem that the parser found; the remedy lists the triggers that exist.
Trigger trigger_of(const std::string& text) {
  std::optional<Trigger> trigger;
  try {
    trigger = trigger_from_text(text);
  } catch (const Error& error) {
    refuse_replay(joined({"--trigger: ", error.problem()}), which_triggers());
  }
  if (is_of_application(*trigger)) refuse_replay.value("--trigger", text, which_triggers());
  return *trigger;
}

ReplayStart start_of(const std::string& text) {
  if (text == "optimal") return ReplayStart::optimal;
  if (text == "uniform") return ReplayStart::uniform;
  refuse_replay.value(
      "--start", text,
      "Give optimal (the best cut of the first step) or uniform (the same number of bins for each "
      "rank).");
}

std::int64_t epoch_of(const std::string& text) {
  constexpr std::int64_t most = ChainReplayOptions::most_steps_of_epoch;
  const auto number = integer_from_text(text);
  if (!number || *number < 0 || *number > most)
    refuse_replay.value(
        "--epoch", text,
        joined({"Give a whole number from 0 to ", std::to_string(most), ", or adaptive."}));
  return *number;
}

std::optional<std::string> checked_output(const ReplayArguments& asked) {
  if (asked.write_chain) static_cast<void>(format_of(*asked.write_chain));
  return asked.write_chain;
}

constexpr std::int64_t any = std::int64_t{1} << 53;

}  // namespace

JournalReplayOptions checked_journal(const ReplayArguments& asked) {
  for (const auto* other : {&asked.chain, &asked.ranks, &asked.cost, &asked.horizon, &asked.start,
                            &asked.epoch, &asked.latency})
    if (*other)
      refuse_replay("--journal goes only with --trigger, --write-chain and --json.",
                    "A journal holds the rest; leave the other options out, or replay a chain.");
  JournalReplayOptions options;
  options.journal = *asked.journal;
  if (asked.trigger) options.trigger = trigger_of(*asked.trigger);
  options.write_chain = checked_output(asked);
  options.json = asked.json;
  return options;
}

ChainReplayOptions checked(const ReplayArguments& asked) {
  if (!asked.chain || !asked.ranks || !asked.cost)
    refuse_replay("A replay of a chain needs --chain, --ranks and --cost.",
                  "Give all three, or a journal alone by --journal.");
  ChainReplayOptions options;
  options.chain = *asked.chain;
  options.ranks = static_cast<int>(whole("--ranks", *asked.ranks, 1, options.most_ranks));
  options.cost = cost_of(*asked.cost);
  if (asked.trigger) options.trigger = trigger_of(*asked.trigger);
  if (asked.horizon) options.horizon = whole("--horizon", *asked.horizon, 0, any);
  if (asked.start) options.start = start_of(*asked.start);
  if (asked.epoch && *asked.epoch == "adaptive")
    options.epoch_steps = 0;
  else if (asked.epoch)
    options.epoch_steps = epoch_of(*asked.epoch);
  if (asked.latency) options.latency = whole("--latency", *asked.latency, 0, any);
  options.write_chain = checked_output(asked);
  options.json = asked.json;
  return options;
}

}  // namespace evenkeel::tool
