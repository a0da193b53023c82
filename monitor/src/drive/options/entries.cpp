#include "drive/options/entries.hpp"

#include "drive/options/refusal.hpp"
#include "drive/options/spelling.hpp"
#include "drive/options/table.hpp"

#include <evenkeel/backends/text.hpp>

#include <algorithm>

namespace evenkeel::detail {

namespace {

const Descriptor* find(std::string_view key) {
  const std::vector<Descriptor>& all = all_options();
  const auto found = std::ranges::find(all, key, &Descriptor::key);
  return found != all.end() ? &*found : nullptr;
}

[[noreturn]] void refuse_unknown(const Entry& entry) {
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

void apply(const Entry& entry, Options& options, const Options& code) {
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

Entry entry_of(std::string_view line, const std::string& place) {
  const std::size_t equals = line.find('=');
  const std::string name(trimmed(line.substr(0, equals)));
  if (equals == std::string_view::npos || name.empty())
    refuse_option(place + in_quotes(line) + " is not of the form key = value.",
                  "Write key = value, and # before a comment.");
  if (name == file_key)
    refuse_option(place + "options_file cannot be set in a text.",
                  "Set it in code or in EVENKEEL_OPTIONS_FILE.");
  return {place, name, name, std::string(trimmed(line.substr(equals + 1))), false};
}

}  // namespace

std::vector<Entry> entries_of(std::string_view text, const std::string& source) {
  std::vector<Entry> entries;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(without_comment(text.substr(0, end)));
    const std::string place = source + ", line " + std::to_string(number) + ": ";
    if (!line.empty()) entries.push_back(entry_of(line, place));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return entries;
}

// Only the exact spelling counts: EVENKEEL_trigger is not an option.
std::vector<Entry> entries_of(const Variables& variables) {
  std::vector<Entry> entries;
  for (const auto& [name, value] : variables) {
    if (name == file_variable) continue;
    std::string key = in_lower_case(name).substr(std::min(name.size(), variable_prefix.size()));
    if (variable_of(key) != name) key.clear();
    entries.push_back({"", name, key, std::string(trimmed(value)), true});
  }
  return entries;
}

void apply(const std::vector<Entry>& entries, Options& options, const Options& code) {
  for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
    apply(*entry, options, code);
    if (std::find_if(entries.begin(), entry,
                     [&](const Entry& other) { return other.key == entry->key; }) != entry)
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
