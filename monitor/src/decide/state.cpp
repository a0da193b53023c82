#include "decide/state.hpp"

#include "decide/rule.hpp"
#include "decide/state_members.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/text.hpp>

#include <map>

namespace evenkeel {

namespace {

using detail::Hash;

// --- Hash ----------------------------------------------------------------------------------------

// Hashes the name and the numbers of a trigger, but not the function of a Custom, whose address
// differs between processes.
void add_trigger(Hash& hash, const Trigger& trigger) {
  const Rule& rule = rule_of(trigger);
  hash.add(std::string_view(rule.name));
  rule.add_numbers(hash, trigger);
}

struct HashMembers {
  Hash& hash;
  void operator()(const char*, const Trigger& trigger) const { add_trigger(hash, trigger); }
  template <class Number>
  void operator()(const char*, const Number& number) const {
    hash.add(number);
  }
  template <class Number, std::size_t count>
  void operator()(const char*, const std::array<Number, count>& numbers) const {
    for (const Number number : numbers) hash.add(number);
  }
};

// --- Text ----------------------------------------------------------------------------------------

std::string print(double number) { return text_of(number); }
std::string print(std::int64_t number) { return std::to_string(number); }
std::string print(const Trigger& trigger) { return to_text(trigger); }
template <class Number, std::size_t count>
std::string print(const std::array<Number, count>& numbers) {
  std::string text;
  for (const Number number : numbers) text.append(text.empty() ? "" : ",").append(print(number));
  return text;
}

bool parse(std::string_view text, double& number) {
  const auto read = real_from_text(text);
  if (read) number = *read;
  return read && number - number == 0;  // finite
}

bool parse(std::string_view text, std::int64_t& number) {
  const auto read = integer_from_text(text);
  if (read) number = *read;
  return read.has_value();
}

bool parse(std::string_view text, Trigger& trigger) {
  trigger = trigger_from_text(std::string(text));
  return true;
}

template <class Number, std::size_t count>
bool parse(std::string_view text, std::array<Number, count>& numbers) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t comma = text.find(',');
    if ((comma == std::string_view::npos) != (i + 1 == count)) return false;
    if (!parse(text.substr(0, comma), numbers[i])) return false;
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return true;
}

[[noreturn]] void refuse_state(const std::string& source, const std::string& problem) {
  throw Error(ErrorKind::bad_input, Where{"monitor/state"}, source + ": " + problem,
              "Give a state that this version of evenkeel has written.");
}

using Lines = std::map<std::string, std::string, std::less<>>;

Lines lines_of(std::string_view text, const std::string& source) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty()) continue;
    const std::size_t equals = line.find(" = ");
    if (equals == std::string_view::npos)
      refuse_state(source, in_quotes(line) + " is not of the form key = value.");
    const auto [at, added] = lines.emplace(line.substr(0, equals), line.substr(equals + 3));
    if (!added) refuse_state(source, in_quotes(at->first) + " is given twice.");
  }
  return lines;
}

}  // namespace

std::uint64_t hash_of(const DecisionState& state) {
  Hash hash;
  for_each_member(state, HashMembers{hash});
  return hash.value();
}

std::uint64_t hash_of(const std::string& text) noexcept {
  return Hash().add(std::string_view(text)).value();
}

std::string to_text(const DecisionState& state) {
  std::string text;
  for_each_member(state, [&](const char* key, const auto& member) {
    text.append(key).append(" = ").append(print(member)).append("\n");
  });
  return text;
}

DecisionState state_from_text(const std::string& text, const std::string& source) {
  Lines lines = lines_of(text, source);
  DecisionState state;
  for_each_member(state, [&](const char* key, auto& member) {
    const auto line = lines.find(std::string_view(key));
    if (line == lines.end()) refuse_state(source, std::string("the key '") + key + "' is missing.");
    bool is_parsed = false;
    try {
      is_parsed = parse(line->second, member);
    } catch (const Error& error) {
      refuse_state(source, std::string(key) + ": " + error.problem());
    }
    if (!is_parsed) refuse_state(source, std::string(key) + " is " + in_quotes(line->second) + '.');
    lines.erase(line);
  });
  if (!lines.empty())
    refuse_state(source, in_quotes(lines.begin()->first) + " is not a key of a state.");
  return state;
}

}  // namespace evenkeel
