#include "log.hpp"

#include "words.hpp"

#include <evenkeel/monitor/metrics.hpp>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace evenkeel {

namespace {

using detail::bytes_of;
using detail::count_of;
using detail::fixed;
using detail::seconds_of;

constexpr const char* logger_name = "evenkeel";

std::shared_ptr<spdlog::logger> logger_for(LogLevel level) {
  if (level == LogLevel::off) return nullptr;
  if (auto users = spdlog::get(logger_name)) return users;
  auto logger = std::make_shared<spdlog::logger>(logger_name,
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("%n: %v");
  logger->flush_on(spdlog::level::info);
  return logger;
}

std::string counted(std::int64_t number, const std::string& what) {
  return count_of(number) + ' ' + what + (number == 1 ? "" : "s");
}

// "what came of it" behind a line.
std::string outcome_of(const JournalLine& line) {
  if (!line.outcome) return line.decision.action == Action::rebalance ? "; not taken" : "";
  const Outcome& outcome = *line.outcome;
  if (!outcome.moved) return "; nothing had to change, in " + seconds_of(outcome.seconds * 1e9);
  return "; " + counted(outcome.objects_moved, "object") + " (" + bytes_of(outcome.bytes_moved) +
         ") moved in " + seconds_of(outcome.seconds * 1e9);
}

std::string percent(double part, double whole) {
  return fixed(whole > 0 ? 100 * part / whole : 0, 1) + " %";
}

// Lambda and imbalance percent of the run as a whole.
std::string evenness(const Summary& run) {
  LoadSummary load;
  load.ranks = run.ranks;
  load.sum = run.state.ledger.worked * run.ranks;
  load.greatest = run.state.ledger.worked + run.state.ledger.lost;
  return "lambda " + fixed(lambda(load), 2) + ", imbalance " + fixed(imbalance_percent(load), 0) +
         " %";
}

std::string of_rebalances(const Summary& run) {
  const Ledger& ledger = run.state.ledger;
  const double all = ledger.worked + ledger.lost + ledger.spent;
  const double net = ledger.gained - ledger.spent;
  std::string text = counted(run.state.rebalances, "rebalance") + " cost " +
                     seconds_of(ledger.spent) + " (" + percent(ledger.spent, all) + ")";
  if (ledger.counted == 0) return text + '.';
  text += " and gained " + seconds_of(ledger.gained) + ": ";
  text += net >= 0 ? seconds_of(net) + " saved" : seconds_of(-net) + " lost";
  if (ledger.foreseen > 0) text += ", and " + seconds_of(ledger.foreseen) + " foreseen";
  if (ledger.losses > 0)
    text += "; " + count_of(ledger.losses) + " did not pay for " +
            (ledger.losses == 1 ? "itself" : "themselves");
  return text + '.';
}

std::string of_advice(const Summary& run) {
  const Ledger& ledger = run.state.ledger;
  if (run.advices == 0 || run.shadow_gain <= 0) return "Balancing would not have paid for itself.";
  return std::string(run.state.rebalances == 0 ? "Nothing was moved. " : "") + "Balancing " +
         counted(run.advices, "time") + " would have saved up to " + seconds_of(run.shadow_gain) +
         " (" + percent(run.shadow_gain, ledger.worked + ledger.lost) + " of the work's time).";
}

}  // namespace

std::string log_line(const JournalLine& line) {
  return "step " + count_of(line.step) + ": " + name_of(line.decision.action) + ": " + line.reason +
         outcome_of(line);
}

std::string summary_of(const Summary& run) {
  State state = run.state;
  state.ledger.settle();
  Summary settled = run;
  settled.state = state;
  const Ledger& ledger = state.ledger;
  std::string text = counted(run.steps, "step") + " on " + counted(run.ranks, "rank");
  if (ledger.elapsed > 0 && ledger.worked > 0)
    text += "; the kernels took " + percent(ledger.worked, ledger.elapsed) + " of the time";
  text += ".\n";
  if (!(ledger.worked > 0)) {
    text += "No look has counted, so nothing is known of the load.";
    return run.state.rebalances > 0 ? text + '\n' + of_rebalances(settled) : text;
  }
  text += "The slowest ranks worked " + seconds_of(ledger.worked + ledger.lost) +
          ", the average rank " + seconds_of(ledger.worked) + ": " + seconds_of(ledger.lost) +
          " lost to imbalance (" + evenness(run) + ").\n";
  if (run.moves) return text + of_rebalances(settled);
  if (run.state.rebalances > 0) text += of_rebalances(settled) + ' ';  // before there was a look
  return text + of_advice(settled);
}

Log::Log(LogLevel level) : level_(level) {
  try {
    logger_ = logger_for(level);
  } catch (...) {  // no log is no reason to end a run
  }
}

void Log::write(const std::string& text) const noexcept {
  if (logger_ == nullptr) return;
  try {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) logger_->info("{}", line);
  } catch (...) {
  }
}

}  // namespace evenkeel
