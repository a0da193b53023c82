#include "options/entries.hpp"

#include "options/table.hpp"

#include <evenkeel/monitor/options_text.hpp>

#include <unistd.h>

#include <numeric>

namespace evenkeel::detail {

namespace {

constexpr std::string_view variable_prefix = "EVENKEEL_";
constexpr std::string_view file_key = "options_file";
constexpr std::string_view file_variable = "EVENKEEL_OPTIONS_FILE";

// --- The spelling of options ---------------------------------------------------------------------

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

char upper(char letter) {
  return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
}

template <char (*change)(char)>
std::string changed(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), change);
  return result;
}

// Levenshtein distance: the fewest insertions, deletions and replacements from one text to another.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string in_lower_case(std::string_view text) { return changed<&lower>(text); }

// The environment variable that sets this option.
std::string variable_of(std::string_view key) {
  return std::string(variable_prefix) + changed<&upper>(key);
}

// The key that was probably meant; empty if no key is near.
std::string_view nearest(std::string_view key, const std::vector<std::string_view>& keys) {
  const auto best = *std::ranges::min_element(
      keys, {}, [&](std::string_view known) { return distance(key, known); });
  return distance(key, best) <= best.size() / 3 ? best : std::string_view();
}

// True if the environment variable `name` is meant to be an option. Other variables have the same
// prefix: those that other code reads, and those that module systems set.
bool means_an_option(std::string_view name) {
  constexpr std::array<std::string_view, 3> read_elsewhere = {"DEVICE_AWARE_MPI", "NEWEST_ROOT",
                                                              "DEBIAN_MIRROR"};
  constexpr std::array<std::string_view, 8> of_modules = {"ROOT",    "DIR", "HOME", "PREFIX",
                                                          "VERSION", "LIB", "INC",  "BIN"};
  if (!name.starts_with(variable_prefix)) return false;
  const std::string_view rest = name.substr(variable_prefix.size());
  return !rest.starts_with("TEST_") &&
         std::ranges::find(read_elsewhere, rest) == read_elsewhere.end() &&
         std::ranges::find(of_modules, rest) == of_modules.end();
}

// --- Entries -------------------------------------------------------------------------------------

const Descriptor* find(std::string_view key) {
  const std::vector<Descriptor>& all = all_options();
  const auto found = std::ranges::find(all, key, &Descriptor::key);
  return found != all.end() ? &*found : nullptr;
}

[[noreturn]] void refuse_unknown(const OptionEntry& entry) {
  std::vector<std::string_view> keys;
  for (const Descriptor& known : all_options()) keys.push_back(known.key);
  if (entry.is_variable) keys.push_back(file_key);
  std::string list;
  for (const std::string_view key : keys) list += (list.empty() ? "" : ", ") + std::string(key);

  std::string meant = in_lower_case(entry.name);
  if (entry.is_variable) meant.erase(0, std::min(meant.size(), variable_prefix.size()));
  const std::string_view near = nearest(meant, keys);
  const std::string suggestion = entry.is_variable ? variable_of(near) : std::string(near);
  refuse_option(entry.place + in_quotes(entry.name) + " is not an option. The options are " + list +
                    (entry.is_variable ? ", in capitals and prefixed with EVENKEEL_." : "."),
                near.empty() ? "Use one of them." : "Did you mean '" + suggestion + "'?");
}

void apply(const OptionEntry& entry, Options& options, const Options& code) {
  const Descriptor* descriptor = find(entry.key);
  if (descriptor == nullptr) refuse_unknown(entry);
  bool accepted = false;
  try {
    accepted = descriptor->parse(entry.value, options, code) && descriptor->makes_sense(options);
  } catch (const Error& error) {
    refuse_option(entry.place + entry.name + ": " + error.problem(), error.remedy());
  }
  if (!accepted)
    refuse_option(entry.place + entry.name + " is " + in_quotes(entry.value) + '.',
                  std::string("Give ") + descriptor->allowed + '.');
}

std::string_view without_comment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1))
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return line.substr(0, at);
  return line;
}

OptionEntry entry_of(std::string_view line, const std::string& place) {
  const std::size_t equals = line.find('=');
  const std::string name(trimmed(line.substr(0, equals)));
  if (equals == std::string_view::npos || name.empty())
    refuse_option(place + in_quotes(line) + " is not of the form key = value.",
                  "Write key = value, and # before a comment.");
  if (name == file_key)
    refuse_option(place + "options_file cannot be set among options that are read.",
                  "Set it in code or in EVENKEEL_OPTIONS_FILE.");
  return {place, name, name, std::string(trimmed(line.substr(equals + 1))), false};
}

}  // namespace

std::vector<OptionEntry> entries_of(std::string_view text, const std::string& source) {
  std::vector<OptionEntry> entries;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(without_comment(text.substr(0, end)));
    const std::string place = source + ", line " + std::to_string(number) + ": ";
    if (!line.empty()) entries.push_back(entry_of(line, place));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return entries;
}

// Only upper case counts: EVENKEEL_trigger gets an empty key.
std::vector<OptionEntry> entries_of(const Variables& variables) {
  std::vector<OptionEntry> entries;
  for (const auto& [name, value] : variables) {
    if (name == file_variable) continue;
    std::string key = in_lower_case(name).substr(std::min(name.size(), variable_prefix.size()));
    if (variable_of(key) != name) key.clear();
    entries.push_back({"", name, key, std::string(trimmed(value)), true});
  }
  return entries;
}

void apply(const std::vector<OptionEntry>& entries, Options& options, const Options& code) {
  for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
    apply(*entry, options, code);
    if (std::find_if(entries.begin(), entry,
                     [&](const OptionEntry& other) { return other.key == entry->key; }) != entry)
      refuse_option(entry->place + entry->name + " is given twice.", "Keep one of them.");
  }
}

std::string options_file_of(const Options& code, const Variables& variables) {
  std::string path = code.options_file;
  for (const auto& [name, value] : variables)
    if (name == file_variable) path = value;
  return path;
}

}  // namespace evenkeel::detail

namespace evenkeel {

Variables environment_options() {
  Variables variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos && detail::means_an_option(text.substr(0, equals)))
      variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

}  // namespace evenkeel
