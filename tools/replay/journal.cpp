#include "replay/journal.hpp"

#include "decide/decision.hpp"
#include "files/refusal.hpp"
#include "replay/refusal.hpp"
#include "tell/words.hpp"

#include <evenkeel/backends/text.hpp>

#include <nlohmann/json.hpp>

#include <optional>

namespace evenkeel::tool {

namespace {

// --- Deciding again ------------------------------------------------------------------------------

void require_alike(const RecordPlace& place, const char* what, const std::string& recorded,
                   const std::string& decided) {
  if (recorded == decided) return;
  throw Error(ErrorKind::disagreement, Where{replay_stage},
              joined({place.text(), ": the ", what, " on record is ", in_quotes(recorded),
                      ", but the recorded state and totals lead to ", in_quotes(decided), "."}),
              "The journal was changed, or comes from another version of evenkeel.");
}

class Replayer {
 public:
  explicit Replayer(const RecordedStart& header) : expected_(header.state) {
    replay_.version = header.version;
    replay_.ranks = header.ranks;
  }

  void add(const RecordPlace& place, const RecordedLine& record) {
    // The line after a rebalance has the generation that the rebalance made.
    if (taken_at_) {
      count(changed_.value_or(record.generation != expected_.generation));
      expected_ = rebalanced(expected_, *taken_at_, record.generation, kind_);
    }
    replay_.continued += hash_of(expected_) == hash_of(record.before) ? 1 : 0;
    expected_ = record.totals ? decide(place, record) : record.before;
    taken_at_ = record.taken_at;
    kind_ = record.kind.value_or(RebalanceKind::application);
    changed_ = record.changed;
  }

  JournalReplay result(JournalEnd end) {
    if (taken_at_) count(changed_.value_or(true));
    replay_.end = end;
    return replay_;
  }

 private:
  void count(bool changed) { ++(changed ? replay_.rebalances : replay_.unchanged); }

  State decide(const RecordPlace& place, const RecordedLine& record) {
    const Verdict verdict = fold(record.before, *record.totals);
    if (is_own(record)) {
      ++replay_.own;
      return verdict.state;
    }
    require_alike(place, "decision", record.decision, name_of(verdict.decision.action));
    require_alike(place, "cause", record.cause, name_of(verdict.decision.reason));
    require_alike(place, "reason", record.reason,
                  explain(record.before, *record.totals, verdict.decision));
    constexpr double seconds = 1e-9;
    require_alike(place, "predicted gain", text_of(record.predicted_gain.value_or(0)),
                  text_of(verdict.decision.predicted_gain * seconds));
    ++replay_.looks;
    return verdict.state;
  }

  JournalReplay replay_;
  State expected_;
  std::optional<std::int64_t> taken_at_;
  RebalanceKind kind_ = RebalanceKind::application;
  std::optional<bool> changed_;
};

std::string as_json(const JournalReplay& replay) {
  const nlohmann::ordered_json report = {{"version", replay.version},
                                         {"ranks", replay.ranks},
                                         {"looks", replay.looks},
                                         {"own_rule", replay.own},
                                         {"rebalances", replay.rebalances},
                                         {"unchanged", replay.unchanged},
                                         {"continued", replay.continued},
                                         {"cut_off", replay.end.is_cut_off},
                                         {"unfinished", replay.end.is_unfinished},
                                         {"identical", true}};
  return report.dump(2) + '\n';
}

}  // namespace

JournalReplay replay_journal(const std::string& path, const Progress& progress) {
  std::optional<Replayer> replayer;
  const JournalEnd end = read_journal(
      path, [&](const RecordedStart& start) { replayer.emplace(start); },
      [&](const RecordPlace& place, const RecordedLine& line) { replayer->add(place, line); },
      progress);
  return replayer->result(end);
}

std::string report_of(const JournalReplay& replay, bool is_json) {
  if (is_json) return as_json(replay);
  std::string text;
  const auto line = [&](const char* name, const std::string& value) {
    text.append(name).append(value).append("\n");
  };
  line("journal    ", name_of_journal(replay.version, replay.ranks, replay.end));
  line("looks      ", joined({std::to_string(replay.looks), ", decided again: all alike"}));
  if (replay.own > 0)
    line("own rule   ", joined({std::to_string(replay.own), " more, which only it can repeat"}));
  line("rebalances ", std::to_string(replay.rebalances) + detail::and_unchanged(replay.unchanged));
  return text;
}

}  // namespace evenkeel::tool
