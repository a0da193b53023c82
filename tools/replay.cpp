// evenkeel replay: shows what a trigger would have done with a recorded run.

#include "command.hpp"
#include "files/output_file.hpp"
#include "files/refusal.hpp"
#include "files/write_array.hpp"
#include "progress.hpp"
#include "replay/chain.hpp"
#include "replay/journal.hpp"
#include "replay/options.hpp"
#include "replay/report.hpp"
#include "replay/schedule.hpp"
#include "replay/trial.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace evenkeel::tool {

namespace {

std::string replay_chain(const ChainReplayOptions& options) {
  ProgressLine line(true);
  const CostChain chain = read_chain(options.chain, line.on_reading(options.chain));
  const bool optimal = options.start == ReplayStart::optimal;
  const Setting setting = {chain, options.ranks,
                           optimal ? chain.cut(0, options.ranks) : chain.even(options.ranks),
                           options.cost * chain.sum(0) / options.ranks};
  ChainReplay replay;
  replay.rebalances = run(setting, options);
  replay.total = cost_of(setting, replay.rebalances);
  replay.never = cost_of(setting, {});
  replay.optimum = optimum_of(setting, line.on_work("finding the optimum"));
  replay.ideal =
      std::min(ideal_of(setting), replay.optimum.total);  // rounding may make the ideal greater
  if (!std::isfinite(replay.total))
    refuse_replay("The run costs more than a number can hold.", "Give costs in a greater unit.");
  return report_of(options, replay);
}

std::string replay_recorded(const JournalReplayOptions& options) {
  ProgressLine line(true);
  const Progress progress = line.on_reading(options.journal);
  if (options.trigger)
    return report_of(try_on_journal(options.journal, *options.trigger, progress), options.json);
  return report_of(replay_journal(options.journal, progress), options.json);
}

// The file of --write-chain, if it was requested. It is opened before anything is read, and renamed
// to its target after the report was printed.
class ChainFile {
 public:
  explicit ChainFile(const std::optional<std::string>& path) : path_(path) {
    if (path_) file_ = std::make_shared<OutputFile>(*path_);
  }
  void write(const ChainTable& chain) {
    write_array(*file_, format_of(*path_), std::span<const double>(chain.costs), chain.bins);
    file_->finish();
  }
  bool is_wanted() const noexcept { return file_ != nullptr; }
  Output beside(std::string report) const {
    if (file_ == nullptr) return report;
    return {std::move(report), [file = file_] { file->commit(); }};
  }

 private:
  std::optional<std::string> path_;
  std::shared_ptr<OutputFile> file_;
};

Output run(const JournalReplayOptions& options) {
  ChainFile file(options.write_chain);
  std::string report = replay_recorded(options);
  if (file.is_wanted()) file.write(chain_of_journal(options.journal));
  return file.beside(std::move(report));
}

Output run(const ChainReplayOptions& options) {
  ChainFile file(options.write_chain);
  std::string report = replay_chain(options);
  if (file.is_wanted()) file.write(chain_in_file(options.chain));
  return file.beside(std::move(report));
}

}  // namespace

Run add_replay(CLI::App& app) {
  const auto asked = std::make_shared<ReplayArguments>();
  CLI::App& command = *app.add_subcommand(
      "replay", "Repeat the decisions of a recorded run, or try another trigger");
  add_option(command, "--chain", asked->chain, "W.npy|W.csv",
             "A row for each step: what each bin costs");
  add_option(command, "--ranks", asked->ranks, "N", "Ranks that own consecutive bins");
  add_option(command, "--cost", asked->cost, "C",
             "The cost of a rebalance, in mean loads of a rank in the first step");
  add_option(command, "--trigger", asked->trigger, "T",
             "The trigger, written as in the option `trigger`; for a chain, cost_aware if it is "
             "not given");
  add_option(command, "--horizon", asked->horizon, "H",
             "Steps that the run is expected to take, or 0 if unknown; the steps of the chain if "
             "it is not given");
  add_option(
      command, "--start", asked->start, "optimal|uniform",
      "The first cut: the best for the first step, or the same number of bins for each rank");
  add_option(command, "--epoch", asked->epoch, "E|adaptive",
             "Steps between two looks; 1 by default");
  add_option(command, "--latency", asked->latency, "L",
             "Steps from a look to its rebalance; 0 by default");
  add_option(command, "--journal", asked->journal, "J.jsonl",
             "The journal of a run whose decisions are repeated and compared; with --trigger, of a "
             "run on which another trigger is tried");
  add_option(command, "--write-chain", asked->write_chain, "W.npy|W.csv",
             "Write the chain of --chain, or the chain of a journal, with a bin for each rank");
  command.add_flag("--json", asked->json, "Print JSON");
  add_examples(command,
               {{"evenkeel replay --journal run.jsonl", "Repeat a run's decisions, and compare"},
                {"evenkeel replay --journal run.jsonl --trigger 'every 50'",
                 "Try another trigger on that run"},
                {"evenkeel replay --chain costs.npy --ranks 8 --cost 2",
                 "The least cost of a chain, and the cost that the trigger reaches"}});
  return [asked]() -> Output {
    if (asked->journal) return run(checked_journal(*asked));
    return run(checked(*asked));
  };
}

}  // namespace evenkeel::tool
