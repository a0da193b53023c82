#include "replay/journal.hpp"

#include "decide/decision.hpp"
#include "files/array.hpp"
#include "files/refusal.hpp"

#include <evenkeel/backends/text.hpp>
#include <evenkeel/backends/words.hpp>

#include <nlohmann/json.hpp>

namespace evenkeel::tool {

namespace {

// --- Deciding again ------------------------------------------------------------------------------

void require_alike(const JournalPlace& place, const char* what, const std::string& recorded,
                   const std::string& decided) {
  if (recorded == decided) return;
  throw Error(ErrorKind::disagreement, Where{refuse_replay.stage},
              joined({place.text(), ": the ", what, " on record is ", in_quotes(recorded),
                      ", but the recorded state and totals lead to ", in_quotes(decided), "."}),
              "The journal was changed, or comes from another version of evenkeel.");
}

class Replayer {
 public:
  explicit Replayer(const JournalHeader& header) : expected_(header.state) {
    replay_.version = header.version;
    replay_.ranks = header.ranks;
  }

  void add(const JournalPlace& place, const JournalLine& record) {
    if (taken_)
      expected_ = rebalanced(expected_, taken_->taken_at, record.before.generation, taken_->kind);
    replay_.continued += hash_of(expected_) == hash_of(record.before) ? 1 : 0;
    expected_ = record.totals ? decide(place, record) : record.before;
    if (record.totals) follow_speeds(record.slow);
    taken_.reset();
    if (!record.outcome) return;
    ++(record.outcome->moved ? replay_.rebalances : replay_.unchanged);
    taken_.emplace(Taken{record.taken_at, record.kind});
  }

  JournalReplay result(const Reading& reading) {
    replay_.reading = reading;
    return replay_;
  }

 private:
  // Only the slow rank has another speed than 1.
  void follow_speeds(const Metrics::SlowRank& slow) {
    const bool is_same = slow.speed == slow_.speed && (slow.speed == 1 || slow.rank == slow_.rank);
    if (!is_same) expected_ = with_new_speeds(expected_);
    slow_ = slow;
  }

  DecisionState decide(const JournalPlace& place, const JournalLine& record) {
    const Verdict verdict = fold(record.before, *record.totals);
    const Decision& recorded = record.decision;
    if (is_of_application(record.before.trigger) && recorded.reason == Reason::custom) {
      ++replay_.own;
      return verdict.state;
    }
    require_alike(place, "decision", name_of(recorded.action), name_of(verdict.decision.action));
    require_alike(place, "cause", name_of(recorded.reason), name_of(verdict.decision.reason));
    require_alike(place, "reason", record.reason,
                  explain(record.before, *record.totals, verdict.decision));
    // The recorded gain was written in seconds and read back. The same two conversions round the
    // new gain in the same way.
    require_alike(place, "predicted gain", text_of(recorded.predicted_gain),
                  text_of(verdict.decision.predicted_gain * 1e-9 * 1e9));
    ++replay_.looks;
    return verdict.state;
  }

  JournalReplay replay_;
  DecisionState expected_;
  Metrics::SlowRank slow_;  // at the last look
  struct Taken {
    std::int64_t taken_at;
    RebalanceKind kind;
  };
  std::optional<Taken> taken_;  // the rebalance of the line before
};

std::string as_json(const JournalReplay& replay) {
  const nlohmann::ordered_json report = {{"version", replay.version},
                                         {"ranks", replay.ranks},
                                         {"looks", replay.looks},
                                         {"own_rule", replay.own},
                                         {"rebalances", replay.rebalances},
                                         {"unchanged", replay.unchanged},
                                         {"continued", replay.continued},
                                         {"cut_off", replay.reading.is_cut_off},
                                         {"unfinished", replay.reading.is_unfinished},
                                         {"identical", true}};
  return report.dump(2) + '\n';
}

}  // namespace

JournalReplay replay_journal(const std::string& path, const Progress& progress) {
  const FileSource source(path);
  std::optional<Replayer> replayer;
  const Reading reading = read_journal(
      source, Care::exact,
      {[&](const JournalHeader& start) { replayer.emplace(start); },
       [&](const JournalPlace& place, const JournalLine& line) { replayer->add(place, line); }},
      progress);
  return replayer->result(reading);
}

std::string report_of(const JournalReplay& replay, bool is_json) {
  if (is_json) return as_json(replay);
  std::string text;
  const auto line = [&](const char* name, const std::string& value) {
    text.append(name).append(value).append("\n");
  };
  line("journal    ", name_of_journal(replay.version, replay.ranks, replay.reading));
  line("looks      ", joined({std::to_string(replay.looks), ", decided again: all the same"}));
  if (replay.own > 0)
    line("own rule   ",
         joined({std::to_string(replay.own), " more, which only the application can repeat"}));
  line("rebalances ", std::to_string(replay.rebalances) + detail::and_unchanged(replay.unchanged));
  return text;
}

namespace {

class ChainReader {
 public:
  explicit ChainReader(const JournalHeader& start) : last_step_(start.state.step) {
    table_.bins = static_cast<std::uint64_t>(start.ranks);
  }

  void add(const JournalPlace& place, const JournalLine& line) {
    if (!line.totals) return;
    const std::int64_t steps = line.step - last_step_;
    last_step_ = line.step;
    if (!rank_shares(line).empty())
      refuse_replay(joined({place.text(), " lacks the seconds of single ranks."}),
                    "Give a journal of at most 256 ranks.");
    const std::vector<double> seconds = rank_seconds(line);
    if (seconds.size() != table_.bins || line.totals->steps == 0) return;
    require_same_domains(place, line.before.generation);
    for (std::int64_t step = 0; step < steps; ++step)
      table_.costs.insert(table_.costs.end(), seconds.begin(), seconds.end());
  }

  ChainTable result(const std::string& path) && {
    if (table_.costs.empty())
      refuse_replay(joined({"The journal ", in_quotes(path), " has no measurements."}),
                    "Give the journal of a run that had at least one look.");
    return std::move(table_);
  }

 private:
  void require_same_domains(const JournalPlace& place, std::int64_t generation) {
    if (generation_.value_or(generation) != generation)
      refuse_replay(joined({place.text(), " has other domains than the lines before it."}),
                    "Give a journal of a run that moved nothing, with trigger = never.");
    generation_ = generation;
  }

  ChainTable table_;
  std::int64_t last_step_;
  std::optional<std::int64_t> generation_;
};

}  // namespace

ChainTable chain_of_journal(const std::string& path, const Progress& progress) {
  const FileSource source(path);
  std::optional<ChainReader> reader;
  read_journal(
      source, Care::exact,
      {[&](const JournalHeader& start) { reader.emplace(start); },
       [&](const JournalPlace& place, const JournalLine& line) { reader->add(place, line); }},
      progress);
  return std::move(*reader).result(path);
}

ChainTable chain_in_file(const std::string& path) {
  const auto file = open_array(path);
  return {file->read(0, file->rows()), file->columns()};
}

}  // namespace evenkeel::tool
