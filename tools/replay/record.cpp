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
  for (const RebalanceKind kind : {RebalanceKind::application, RebalanceKind::fresh,
                                   RebalanceKind::earlier, RebalanceKind::shift})
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

// Reads the same lists of members from which the journal is written.
struct ReadMembers {
  const json& from;

  template <class T>
  void operator()(const char* key, T& value) const {
    from.at(key).get_to(value);
  }
  void operator()(const char* key, State& state) const { state = state_of(from.at(key)); }
  void operator()(const char* key, std::optional<Totals>& totals) const {
    if (!from.at(key).is_null()) totals = totals_of(from.at(key));
  }
  void operator()(const char* key, std::optional<RebalanceKind>& kind) const {
    if (!from.at(key).is_null()) kind = kind_from(from.at(key));
  }
  void operator()(const char* key, std::optional<bool>& flag) const {
    const auto found = from.find(key);
    if (found != from.end() && !found->is_null()) flag = found->get<bool>();
  }
  template <class Number>
  void operator()(const char* key, std::optional<Number>& number) const {
    if (!from.at(key).is_null()) number = from.at(key).template get<Number>();
  }
};

template <class Record>
Record record_from(const json& from) {
  Record record;
  detail::for_each_member(record, ReadMembers{from});
  return record;
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

bool is_own(const RecordedLine& line) {
  return is_of_application(line.before.trigger) && line.cause == name_of(Reason::custom);
}

JournalEnd read_journal(const std::string& path,
                        const std::function<void(const RecordedStart&)>& start,
                        const LineVisitor& line, const Progress& progress) {
  return read_journal(
      path, start,
      [&](const RecordPlace& place, const RecordedLine& read, const json&) { line(place, read); },
      progress);
}

JournalEnd read_journal(const std::string& path,
                        const std::function<void(const RecordedStart&)>& start,
                        const WholeLineVisitor& line, const Progress& progress) {
  const std::string content = content_of(path);
  RecordPlace place{path, 0};
  JournalEnd found;
  std::size_t begin = 0;
  for (std::size_t end = content.find('\n'); end != std::string::npos;
       begin = end + 1, end = content.find('\n', begin)) {
    const auto parsed = [&] { return json::parse(content.substr(begin, end - begin)); };
    if (progress) progress(begin, content.size());
    if (++place.line == 1) {
      start(understood(place, [&] { return record_from<RecordedStart>(parsed()); }));
    } else if (const json members = understood(place, parsed); members.contains("unfinished")) {
      found.is_unfinished = true;
    } else if (members.contains("finished")) {
      continue;  // nothing was decided there
    } else {
      line(place, understood(place, [&] { return record_from<RecordedLine>(members); }), members);
    }
  }
  if (place.line == 0)
    refuse_replay(joined({"The journal ", in_quotes(path), " is empty."}),
                  "Give one that a run has written.");
  found.is_cut_off = begin != content.size();
  return found;
}

std::string name_of_journal(const std::string& version, std::int64_t ranks, JournalEnd end) {
  return joined({"of evenkeel ", version, ", on ", std::to_string(ranks),
                 ranks == 1 ? " rank" : " ranks",
                 end.is_cut_off      ? ", cut off in its last line"
                 : end.is_unfinished ? ", which was not finished"
                                     : ""});
}

}  // namespace evenkeel::tool
