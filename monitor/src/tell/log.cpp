#include "tell/log.hpp"

#include <evenkeel/backends/words.hpp>

#if defined(__CUDACC__)  // nvcc cannot check fmt's format strings when it compiles
#define FMT_CONSTEVAL
#define FMT_USE_CONSTEVAL 0
#define FMT_USE_CONSTEXPR 1
#endif

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <sstream>

namespace evenkeel {

namespace {

using detail::and_unchanged;
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

std::string forgotten_of(const Outcome& outcome) {
  if (outcome.forgotten == 0) return {};
  return "; for " + counted(outcome.forgotten, "object") +
         (outcome.forgotten == 1 ? " the learned cost was" : " the learned costs were") +
         " dropped: objects were added or removed";
}

std::string phases_of(const Outcome& outcome) {
  if (outcome.phase_lambdas.empty()) return {};
  std::string text;
  for (const double lambda : outcome.phase_lambdas)
    text += (text.empty() ? " (" : ", ") + fixed(lambda, 2);
  return text + " in its phases, " + fixed(outcome.shortfall_percent, 1) +
         " % above the lower bound of any cut)";
}

// The end of a line: the outcome of the rebalance.
std::string outcome_of(const JournalLine& line) {
  if (!line.outcome && line.decision.action != Action::rebalance) return {};
  if (!line.outcome) return line.waits ? "; not taken yet" : "; not taken";
  const Outcome& outcome = *line.outcome;
  const std::string took = seconds_of(outcome.seconds * 1e9);
  if (!outcome.moved) return "; nothing had to change, in " + took + forgotten_of(outcome);
  const std::string what = outcome.objects_moved == 0  // also if the application moves objects
                               ? "; new domains in " + took
                               : "; " + counted(outcome.objects_moved, "object") + " (" +
                                     bytes_of(outcome.bytes_moved) + ") moved in " + took;
  return what + (outcome.lambda > 0 ? "; lambda " + fixed(outcome.lambda, 2) + " predicted" : "") +
         phases_of(outcome) + forgotten_of(outcome);
}

std::string percent(double part, double whole) {
  return fixed(whole > 0 ? 100 * part / whole : 0, 1) + " %";
}

constexpr double nanoseconds = 1e9;

// Seconds as text. In a deterministic run they represent a weight, and the text gives that.
std::string amount(const Summary& run, double seconds) {
  constexpr double weights_per_second = 1e3;
  return run.is_deterministic ? fixed(seconds * weights_per_second, 1) + " of weight"
                              : seconds_of(seconds * nanoseconds);
}

// Lambda and imbalance percent, from the loads of the whole run.
std::string evenness(const Summary& run) {
  LoadSummary load;
  load.ranks = run.ranks;
  load.sum = run.account.mean * run.ranks;
  load.greatest = run.account.actual;
  return "lambda " + fixed(lambda(load), 2) + ", imbalance " + fixed(imbalance_percent(load), 0) +
         " %";
}

std::string of_costs(const Summary& run) {
  const Account& account = run.account;
  const std::int64_t unchanged = run.state.ledger.gains.unchanged;
  std::string text =
      counted(run.state.rebalances - unchanged, "rebalance") + and_unchanged(unchanged);
  text += unchanged > 0 ? ", cost " : " cost ";
  text += amount(run, account.spent()) + " (" +
          percent(account.spent(), account.actual + account.spent()) + ")";
  if (account.rebuild_cost > 0)
    text += ": " + amount(run, account.own_cost) + " evenkeel's, " +
            amount(run, account.rebuild_cost) + " the application's rebuild";
  return text + '.';
}

std::string of_savings(const Summary& run) {
  const Account& account = run.account;
  if (!account.knows_never) return "How long the run would have taken without them is not known.";
  const double saved = account.saved(), bar = account.uncertainty;
  std::string text = "Without them the slowest ranks would have worked " +
                     amount(run, account.never) + ": " + amount(run, std::abs(saved)) +
                     (saved >= 0 ? " saved" : " lost");
  if (bar > 0) text += ", give or take " + amount(run, bar);
  if (std::abs(saved) < bar) text += ", so it is not clear whether they have saved time";
  return text + '.';
}

// The total gain of rebalances, where each is compared with the domains that it has replaced.
std::string of_gains(const Summary& run) {
  const Ledger& ledger = run.state.ledger;
  if (ledger.gains.counted == 0) return {};
  constexpr double seconds = 1e-9;
  std::string text = " Compared with the domains that each replaced, they gained " +
                     amount(run, ledger.gains.gained * seconds) + "; a net gain of " +
                     amount(run, ledger.gains.foreseen * seconds) + " was predicted";
  if (ledger.gains.losses > 0)
    text += "; " + count_of(ledger.gains.losses) + " did not pay for " +
            (ledger.gains.losses == 1 ? "itself" : "themselves");
  return text + '.';
}

std::string of_advice(const Summary& run) {
  const Account& account = run.account;
  if (run.advices == 0 || account.advised <= 0) return "Balancing would not have paid for itself.";
  return "The trigger moved nothing. Balancing " + counted(run.advices, "time") +
         " would have saved " + amount(run, account.advised) + " (" +
         percent(account.advised, account.actual) + " of the slowest ranks' work).";
}

// The most uneven phase without a loan, if there are several phases and it has cost much.
// Rebalances can even out only one of them.
std::string of_phases(const Summary& run) {
  constexpr double nanosecond = 1e-9, much = 0.05;
  const auto& uneven = run.state.ledger.run.uneven;
  const auto is_lent = [&](const std::string& kernel) {
    return std::ranges::any_of(run.loans, [&](const auto& loan) { return loan.name == kernel; });
  };
  std::size_t worst = 0, used = 0;
  double most = 0;
  for (std::size_t phase = 0; phase < uneven.size(); ++phase) {
    if (uneven[phase] > 0 || !run.kernels[phase].empty()) ++used;
    if (uneven[phase] <= most || std::ranges::any_of(run.kernels[phase], is_lent)) continue;
    most = uneven[phase];
    worst = phase;
  }
  const double lost = most * nanosecond;
  if (used < 2 || lost <= 0 || lost < much * run.account.actual) return {};
  std::string kernels;
  for (const std::string& kernel : run.kernels[worst])
    kernels += (kernels.empty() ? "" : ", ") + kernel;
  return "\nPhase " + std::to_string(worst) + (kernels.empty() ? "" : " (" + kernels + ')') +
         " is uneven: even work in it would have saved " + amount(run, lost) +
         ". If its objects are independent of each other, a loan can even it out without moving "
         "them.";
}

std::string of_run(const Summary& given) {
  Summary run = given;
  run.state.ledger.settle();
  const Ledger& ledger = run.state.ledger;
  const Account& account = run.account;
  std::string text = counted(run.steps, "step") + " on " + counted(run.ranks, "rank");
  if (ledger.run.elapsed > 0 && ledger.run.covered > 0 && !run.is_deterministic)
    text +=
        "; the kernels took " + percent(ledger.run.covered, ledger.run.elapsed) + " of the time";
  if (account.steps < run.steps)
    text += "; measured in " + count_of(account.steps) + " of " + counted(run.steps, "step");
  text += ".\n";
  if (!(account.mean > 0)) {
    text += "No look was usable, so the load is not known.";
    return run.state.rebalances > 0 ? text + '\n' + of_costs(run) : text;
  }
  text += "The slowest ranks worked " + amount(run, account.actual) + ", the average rank " +
          amount(run, account.mean) + ": " + amount(run, account.actual - account.mean) +
          " lost to imbalance (" + evenness(run) + ").\n";
  if (run.state.rebalances > 0) return text + of_costs(run) + ' ' + of_savings(run) + of_gains(run);
  if (run.moves) return text + "Nothing was rebalanced.";
  return text + of_advice(run);
}

}  // namespace

std::string log_line(const JournalLine& line) {
  const std::int64_t decided = line.decided_at.value_or(line.step);
  const std::int64_t step = line.taken_at >= 0 ? line.taken_at : line.step;
  return "step " + count_of(step) + ": " + name_of(line.decision.action) +
         (step != decided ? " (decided at step " + count_of(decided) + ")" : "") + ": " +
         line.reason + outcome_of(line);
}

std::string lines_of(const CostTable& costs) {
  if (costs.empty()) return {};
  const bool has_sets = std::any_of(costs.rows.begin(), costs.rows.end(),
                                    [](const CostTable::Row& row) { return row.set != 0; });
  std::string text = "Learned costs (give or take one standard error";
  if (costs.frozen > 0)
    text +=
        "; the measurements do not determine " + counted(costs.frozen, "combination") + " of them";
  text += "):";
  for (const CostTable::Row& row : costs.rows) {
    text += "\n  ";
    if (has_sets) text += "set " + std::to_string(row.set) + ", ";
    text += (row.is_feature ? "feature " : "type ") + std::to_string(row.number) + ": " +
            count_of(std::llround(row.amount)) + (row.is_feature ? " units, " : " objects, ") +
            seconds_of(row.seconds * nanoseconds) + " each, +- " + percent(row.error, row.seconds);
  }
  if (costs.fixed_seconds > 0)
    text += "\n  each rank, regardless of its objects: " +
            seconds_of(costs.fixed_seconds * nanoseconds);
  return text;
}

std::string line_of(const LoanRecord& loan) {
  const std::string possible = seconds_of(loan.possible * nanoseconds);
  if (loan.lent == 0)
    return "Loan '" + loan.name + "': nothing was lent in " + counted(loan.calls, "call") +
           "; even work would have saved " + possible + '.';
  return "Loan '" + loan.name + "': objects were lent in " + count_of(loan.lent) + " of " +
         counted(loan.calls, "call") + ", which " + (loan.saved >= 0 ? "saved " : "lost ") +
         seconds_of(std::abs(loan.saved) * nanoseconds) + "; even work would have saved " +
         possible + '.';
}

const char* const advice_on_costs =
    "Cuts leave the load far more uneven than predicted: costs of objects are only guessed, from "
    "the time of whole ranks. Give sets a .weight, or time loops in chunks. Without either, load "
    "that shifts within a rank goes unnoticed.";

std::string summary_of(const Summary& run) {
  const std::string costs = lines_of(run.costs);
  std::string loans;
  for (const LoanRecord& loan : run.loans) loans += '\n' + line_of(loan);
  return of_run(run) + of_phases(run) + loans + (costs.empty() ? "" : '\n' + costs) +
         (run.guesses_costs ? '\n' + std::string(advice_on_costs) : "");
}

Log::Log(LogLevel level, std::string name) : level_(level), name_(std::move(name)) {
  try {
    logger_ = logger_for(level);
  } catch (...) {  // a run continues without a log
  }
}

void Log::warn(const std::string& text) const noexcept { write(text, spdlog::level::warn); }

void Log::write(const std::string& text) const noexcept { write(text, spdlog::level::info); }

void Log::write(const std::string& text, int level) const noexcept {
  if (logger_ == nullptr) return;
  const detail::WithoutWriteSignals quiet;  // the reader of stderr may have ended
  try {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      logger_->log(static_cast<spdlog::level::level_enum>(level), "{}{}{}", name_,
                   name_.empty() ? "" : ": ", line);
    if (level >= spdlog::level::warn) logger_->flush();
  } catch (...) {
  }
}

}  // namespace evenkeel
