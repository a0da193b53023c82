#include "replay/record.hpp"

#include "files/refusal.hpp"
#include "replay/refusal.hpp"

#include <evenkeel/backends/text.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace evenkeel::tool {

namespace {

using nlohmann::json;

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

Counterfactual counterfactual_of(const json& from) {
  Counterfactual would_be;
  from.at("first").get_to(would_be.first);
  from.at("previous").get_to(would_be.previous);
  from.at("first_again").get_to(would_be.first_again);
  from.at("previous_again").get_to(would_be.previous_again);
  from.at("fresh").get_to(would_be.fresh);
  from.at("as_weighed").get_to(would_be.as_weighed);
  from.at("advised").get_to(would_be.advised);
  from.at("earlier").get_to(would_be.earlier);
  from.at("age").get_to(would_be.age);
  return would_be;
}

RebalanceKind kind_from(const std::string& name) {
  for (const RebalanceKind kind :
       {RebalanceKind::application, RebalanceKind::fresh, RebalanceKind::earlier})
    if (name == name_of(kind)) return kind;
  throw Error(ErrorKind::bad_input, Where{replay_stage}, joined({in_quotes(name), " is no kind."}),
              "Give one that evenkeel knows.");
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
  from.at("rebuild").get_to(totals.rebuild);
  from.at("extra").get_to(totals.extra);
  from.at("bytes").get_to(totals.bytes);
  from.at("command").get_to(totals.command);
  from.at("survey").get_to(totals.survey);
  from.at("unit").get_to(totals.unit);
  from.at("spread").get_to(totals.spread);
  from.at("variance").get_to(totals.variance);
  read_tallies(from.at("phases"), totals.phases);
  from.at("all_steps").get_to(totals.all_steps);
  from.at("all_load").get_to(totals.all_load);
  from.at("slots").get_to(totals.slots);
  from.at("other_slots").get_to(totals.other_slots);
  totals.would_be = counterfactual_of(from.at("would_be"));
  if (from.at("kernels").is_null()) return totals;
  std::array<Tally, Totals::named_kernels> named{};
  read_tallies(from.at("kernels"), named);
  std::copy(named.begin(), named.end(), totals.kernels.begin());
  totals.kernels[Totals::other] = tally_of(from.at("other"));
  return totals;
}

// What `read` makes of it; an Error where it does not find what it needs.
template <class Read>
auto understood(const RecordPlace& place, const Read& read) {
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

RecordedLine line_from(const json& from) {
  RecordedLine line;
  line.before = state_of(from.at("state"));
  line.generation = from.at("generation");
  line.decision = from.at("decision");
  line.cause = from.at("cause");
  line.reason = from.at("reason");
  if (!from.at("totals").is_null()) {
    line.totals = totals_of(from.at("totals"));
    line.predicted_gain = from.at("predicted_gain");
  }
  if (!from.at("taken_at").is_null()) line.taken_at = from.at("taken_at").get<std::int64_t>();
  if (!from.at("kind").is_null()) line.kind = kind_from(from.at("kind"));
  return line;
}

RecordedStart start_from(const json& from) {
  return {from.at("version"), from.at("ranks"), state_of(from.at("state"))};
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  if (!file.is_open() || file.bad())
    refuse_replay(joined({"The journal ", in_quotes(path), " cannot be read."}),
                  "Name a file that exists and that you may read.");
  return content.str();
}

}  // namespace

std::string RecordPlace::text() const {
  return joined({"Line ", std::to_string(line), " of ", in_quotes(path)});
}

bool RecordedLine::is_own() const {
  return std::holds_alternative<Custom>(before.trigger) && cause == name_of(Reason::custom);
}

bool read_journal(const std::string& path, const std::function<void(const RecordedStart&)>& start,
                  const std::function<void(const RecordPlace&, const RecordedLine&)>& line) {
  const std::string content = content_of(path);
  RecordPlace place{path, 0};
  std::size_t begin = 0;
  for (std::size_t end = content.find('\n'); end != std::string::npos;
       begin = end + 1, end = content.find('\n', begin)) {
    const auto parsed = [&] { return json::parse(content.substr(begin, end - begin)); };
    if (++place.line == 1)
      start(understood(place, [&] { return start_from(parsed()); }));
    else
      line(place, understood(place, [&] { return line_from(parsed()); }));
  }
  if (place.line == 0)
    refuse_replay(joined({"The journal ", in_quotes(path), " is empty."}),
                  "Give one that a run has written.");
  return begin != content.size();
}

std::string name_of_journal(const std::string& version, std::int64_t ranks, bool is_cut_off) {
  return joined({"of evenkeel ", version, ", on ", std::to_string(ranks),
                 ranks == 1 ? " rank" : " ranks", is_cut_off ? ", cut off in its last line" : ""});
}

}  // namespace evenkeel::tool
