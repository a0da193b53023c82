#include "replay/journal.hpp"

#include "files/refusal.hpp"
#include "replay/refusal.hpp"

#include <evenkeel/backends/text.hpp>
#include <evenkeel/monitor/decision.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

namespace evenkeel::tool {

namespace {

using nlohmann::json;

// Where something is wrong.
struct Place {
  const std::string& path;
  std::int64_t line;

  std::string text() const {
    return joined({"Line ", std::to_string(line), " of ", in_quotes(path)});
  }
};

// --- From JSON -----------------------------------------------------------------------------------

std::string value_text(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  std::string text = value.dump();
  std::erase_if(text, [](char c) { return c == '[' || c == ']'; });
  return text;
}

// The same keys and values as in a state's own text; numbers keep theirs, and so their bits.
State state_of(const json& from) {
  std::string text;
  for (const auto& [key, value] : from.items())
    text.append(key).append(" = ").append(value_text(value)).append("\n");
  return state_from_text(text, "its state");
}

Tally tally_of(const json& from) { return {from.at(0), from.at(1), from.at(2)}; }

std::uint64_t hash_from(const json& from) {
  return std::stoull(from.get<std::string>(), nullptr, 16);
}

template <std::size_t size>
void read_tallies(const json& from, std::array<Tally, size>& into) {
  if (from.size() > size) throw std::out_of_range("more than there can be");
  std::transform(from.begin(), from.end(), into.begin(), tally_of);
}

Totals totals_of(const json& from) {
  Totals totals;
  from.at("step_least").get_to(totals.step_least);
  from.at("step_greatest").get_to(totals.step_greatest);
  from.at("generation_least").get_to(totals.generation_least);
  from.at("generation_greatest").get_to(totals.generation_greatest);
  totals.names_least = hash_from(from.at("names_least"));
  totals.names_greatest = hash_from(from.at("names_greatest"));
  from.at("ranks").get_to(totals.ranks);
  from.at("unfit").get_to(totals.unfit);
  from.at("steps").get_to(totals.steps);
  totals.load = tally_of(from.at("load"));
  totals.duration = tally_of(from.at("duration"));
  totals.objects = tally_of(from.at("objects"));
  from.at("cost").get_to(totals.cost);
  from.at("bytes").get_to(totals.bytes);
  from.at("growth").get_to(totals.growth);
  from.at("command").get_to(totals.command);
  from.at("unit").get_to(totals.unit);
  from.at("spread").get_to(totals.spread);
  from.at("variance").get_to(totals.variance);
  read_tallies(from.at("phases"), totals.phases);
  if (from.at("kernels").is_null()) return totals;
  std::array<Tally, Totals::named_kernels> named{};
  read_tallies(from.at("kernels"), named);
  std::copy(named.begin(), named.end(), totals.kernels.begin());
  totals.kernels[Totals::other] = tally_of(from.at("other"));
  return totals;
}

// What `read` makes of it; an Error where it does not find what it needs.
template <class Read>
auto understood(const Place& place, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    refuse_replay(joined({place.text(), " is none of a journal: ", error.problem()}),
                  "Give a journal that this version of evenkeel has written.");
  } catch (const std::exception& error) {
    refuse_replay(joined({place.text(), " is none of a journal: ", error.what(), "."}),
                  "Give a journal that this version of evenkeel has written.");
  }
}

// A line of a journal: what was decided from what, and what came of it.
struct Record {
  State before;
  std::optional<Totals> totals;
  std::int64_t generation = 0;
  std::string decision, cause, reason;
  double predicted_gain = 0;  // seconds
  std::optional<std::int64_t> taken_at;

  explicit Record(const json& line)
      : before(state_of(line.at("state"))),
        generation(line.at("generation")),
        decision(line.at("decision")),
        cause(line.at("cause")),
        reason(line.at("reason")) {
    if (!line.at("totals").is_null()) {
      totals = totals_of(line.at("totals"));
      predicted_gain = line.at("predicted_gain");
    }
    if (!line.at("taken_at").is_null()) taken_at = line.at("taken_at").get<std::int64_t>();
  }

  // Which rule decides is part of the recorded state; one of an application's own has no text.
  bool is_own() const {
    return std::holds_alternative<Custom>(before.trigger) && cause == name_of(Reason::custom);
  }
};

struct Header {
  std::string version;
  std::int64_t ranks;
  State state;

  explicit Header(const json& line)
      : version(line.at("version")), ranks(line.at("ranks")), state(state_of(line.at("state"))) {}
};

// --- Deciding again ------------------------------------------------------------------------------

void require_alike(const Place& place, const char* what, const std::string& recorded,
                   const std::string& decided) {
  if (recorded == decided) return;
  throw Error(ErrorKind::disagreement, Where{replay_stage},
              joined({place.text(), ": the ", what, " on record is ", in_quotes(recorded),
                      ", but what it was made from leads to ", in_quotes(decided), "."}),
              "The journal was changed, or comes from another version of evenkeel.");
}

class Replayer {
 public:
  explicit Replayer(const Header& header) : expected_(header.state) {
    replay_.version = header.version;
    replay_.ranks = header.ranks;
  }

  void add(const Place& place, const Record& record) {
    // The generation after a rebalance is on the line after it.
    if (taken_at_) expected_ = rebalanced(expected_, *taken_at_, record.generation);
    replay_.continued += hash_of(expected_) == hash_of(record.before) ? 1 : 0;
    expected_ = record.totals ? decide(place, record) : record.before;
    taken_at_ = record.taken_at;
    replay_.rebalances += taken_at_ ? 1 : 0;
  }

  JournalReplay result(bool is_cut_off) {
    replay_.is_cut_off = is_cut_off;
    return replay_;
  }

 private:
  State decide(const Place& place, const Record& record) {
    const Verdict verdict = fold(record.before, *record.totals);
    if (record.is_own()) {
      ++replay_.own;
      return verdict.state;
    }
    require_alike(place, "decision", record.decision, name_of(verdict.decision.action));
    require_alike(place, "cause", record.cause, name_of(verdict.decision.reason));
    require_alike(place, "reason", record.reason,
                  explain(record.before, *record.totals, verdict.decision));
    constexpr double seconds = 1e-9;
    require_alike(place, "predicted gain", text_of(record.predicted_gain),
                  text_of(verdict.decision.predicted_gain * seconds));
    ++replay_.looks;
    return verdict.state;
  }

  JournalReplay replay_;
  State expected_;
  std::optional<std::int64_t> taken_at_;
};

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  if (!file.is_open() || file.bad())
    refuse_replay(joined({"The journal ", in_quotes(path), " cannot be read."}),
                  "Name a file that exists and that you may read.");
  return content.str();
}

std::string as_json(const JournalReplay& replay) {
  const nlohmann::ordered_json report = {
      {"version", replay.version},       {"ranks", replay.ranks},
      {"looks", replay.looks},           {"own_rule", replay.own},
      {"rebalances", replay.rebalances}, {"continued", replay.continued},
      {"cut_off", replay.is_cut_off},    {"identical", true}};
  return report.dump(2) + '\n';
}

}  // namespace

JournalReplay replay_journal(const std::string& path) {
  const std::string content = content_of(path);
  std::optional<Replayer> replayer;
  Place place{path, 0};
  std::size_t begin = 0;
  for (std::size_t end = content.find('\n'); end != std::string::npos;
       begin = end + 1, end = content.find('\n', begin)) {
    ++place.line;
    const auto line = [&] { return json::parse(content.substr(begin, end - begin)); };
    if (replayer)
      replayer->add(place, understood(place, [&] { return Record(line()); }));
    else
      replayer.emplace(understood(place, [&] { return Header(line()); }));
  }
  if (!replayer)
    refuse_replay(joined({"The journal ", in_quotes(path), " is empty."}),
                  "Give one that a run has written.");
  return replayer->result(begin != content.size());
}

std::string report_of(const JournalReplay& replay, bool is_json) {
  if (is_json) return as_json(replay);
  std::string text;
  const auto line = [&](const char* name, const std::string& value) {
    text.append(name).append(value).append("\n");
  };
  line("journal    ", joined({"of evenkeel ", replay.version, ", on ", std::to_string(replay.ranks),
                              replay.ranks == 1 ? " rank" : " ranks",
                              replay.is_cut_off ? ", cut off in its last line" : ""}));
  line("looks      ", joined({std::to_string(replay.looks), ", decided again: all alike"}));
  if (replay.own > 0)
    line("own rule   ", joined({std::to_string(replay.own), " more, which only it can repeat"}));
  line("rebalances ", std::to_string(replay.rebalances));
  return text;
}

}  // namespace evenkeel::tool
