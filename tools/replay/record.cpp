#include "replay/record.hpp"

#include "files/refusal.hpp"
#include "replay/from_json.hpp"
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

RebalanceKind kind_from(const std::string& name) {
  for (const RebalanceKind kind :
       {RebalanceKind::application, RebalanceKind::fresh, RebalanceKind::earlier})
    if (name == name_of(kind)) return kind;
  throw Error(ErrorKind::bad_input, Where{replay_stage},
              joined({in_quotes(name), " is not a kind."}), "Give one that evenkeel knows.");
}

// The result of read(); an Error if the line lacks what it needs.
template <class Read>
auto understood(const RecordPlace& place, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    refuse_replay(joined({place.text(), " is not a line of a journal: ", error.problem()}),
                  "Give a journal that this version of evenkeel has written.");
  } catch (const std::exception& error) {
    refuse_replay(joined({place.text(), " is not a line of a journal: ", error.what(), "."}),
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
  return is_of_application(before.trigger) && cause == name_of(Reason::custom);
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
