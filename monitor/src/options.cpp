#include <evenkeel/monitor/options.hpp>

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/text.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "monitor/options";
constexpr const char* blanks = " \t\r\v\f";
constexpr std::string_view variable_prefix = "EVENKEEL_";
constexpr std::string_view file_key = "options_file";
constexpr std::string_view file_variable = "EVENKEEL_OPTIONS_FILE";
constexpr int most_epoch_steps = 1'000'000;

[[noreturn]] void refuse(const std::string& problem, const std::string& remedy) {
  throw Error(ErrorKind::bad_input, Where{stage_name}, problem, remedy);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// --- Values: print(value), and parse(text, value), false when the text is none -------------------

std::string print(double number) { return text_of(number); }

bool parse(std::string_view text, double& number) {
  const auto read = real_from_text(text);
  if (read) number = *read;
  return read.has_value();
}

std::string print(int number) { return std::to_string(number); }

bool parse(std::string_view text, int& number) {
  const auto read = integer_from_text(text);
  if (!read || !std::in_range<int>(*read)) return false;
  number = static_cast<int>(*read);
  return true;
}

std::string print(std::int64_t number) { return std::to_string(number); }

bool parse(std::string_view text, std::int64_t& number) {
  const auto read = integer_from_text(text);
  if (read) number = *read;
  return read.has_value();
}

std::string print(bool on) { return on ? "on" : "off"; }

bool parse(std::string_view text, bool& on) {
  constexpr std::array<std::string_view, 4> yes = {"on", "true", "yes", "1"};
  constexpr std::array<std::string_view, 4> no = {"off", "false", "no", "0"};
  on = std::ranges::find(yes, text) != yes.end();
  return on || std::ranges::find(no, text) != no.end();
}

constexpr std::array<const char*, 6> method_names = {"hilbert",   "morton", "snake",
                                                     "staggered", "tensor", "bisection"};
static_assert(method_names.size() == std::variant_size_v<Method>);

// The extents of a grid behind the name of its method: "staggered 4x2x1".
const std::array<int, 3>* grid_of(const Method& method) {
  if (const auto* staggered = std::get_if<Staggered>(&method)) return &staggered->grid;
  if (const auto* tensor = std::get_if<Tensor>(&method)) return &tensor->grid;
  return nullptr;
}

std::string print(const Method& method) {
  std::string text = method_names[method.index()];
  const std::array<int, 3>* grid = grid_of(method);
  if (grid == nullptr || *grid == std::array<int, 3>{}) return text;
  for (std::size_t axis = 0; axis < 3; ++axis)
    text.append(axis == 0 ? " " : "x").append(print((*grid)[axis]));
  return text;
}

bool parse_grid(std::string_view text, std::array<int, 3>& grid) {
  grid = {1, 1, 1};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t end = text.find('x');
    if (!parse(text.substr(0, end), grid[axis]) || grid[axis] < 1) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
  return false;
}

bool parse(std::string_view text, Method& method) {
  const std::size_t blank = text.find(' ');
  const std::string_view name = text.substr(0, blank);
  std::array<int, 3> grid = {};
  const bool has_grid = blank != std::string_view::npos;
  if (has_grid && !parse_grid(trimmed(text.substr(blank)), grid)) return false;
  const Method methods[] = {Hilbert{},       Morton{},     Snake{},
                            Staggered{grid}, Tensor{grid}, RecursiveBisection{}};
  for (const Method& candidate : methods) {
    if (name != method_names[candidate.index()]) continue;
    method = candidate;
    return !has_grid || grid_of(candidate) != nullptr;
  }
  return false;
}

constexpr std::array<std::pair<std::string_view, ClockKind>, 3> clocks = {
    {{"automatic", ClockKind::automatic},
     {"wall", ClockKind::wall},
     {"thread_cpu", ClockKind::thread_cpu}}};

constexpr std::array<std::pair<std::string_view, LogLevel>, 4> log_levels = {
    {{"off", LogLevel::off},
     {"summary", LogLevel::summary},
     {"decisions", LogLevel::decisions},
     {"looks", LogLevel::looks}}};

template <class Names, class Value>
std::string name_among(const Names& names, Value value) {
  for (const auto& [name, named] : names)
    if (named == value) return std::string(name);
  return "unknown";
}

template <class Names, class Value>
bool find_among(const Names& names, std::string_view text, Value& value) {
  for (const auto& [name, named] : names) {
    if (name != text) continue;
    value = named;
    return true;
  }
  return false;
}

std::string print(LogLevel level) { return name_among(log_levels, level); }

bool parse(std::string_view text, LogLevel& level) { return find_among(log_levels, text, level); }

std::string print(ClockKind kind) { return name_among(clocks, kind); }

bool parse(std::string_view text, ClockKind& kind) { return find_among(clocks, text, kind); }

std::string print(const std::optional<Box>& box) {
  if (!box) return "measured";
  std::string text;
  for (const auto& corner : {box->lower, box->upper})
    for (const double face : corner) {
      if (!text.empty()) text += ',';
      text += print(face);
    }
  return text;
}

// Two dimensions have four faces; the third has no meaning then.
bool parse(std::string_view text, std::optional<Box>& box) {
  box.reset();
  if (text == "measured") return true;
  std::vector<double> faces;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    if (!parse(trimmed(text.substr(0, comma)), faces.emplace_back())) return false;
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  if (faces.size() != 4 && faces.size() != 6) return false;
  const auto dimensions = static_cast<std::ptrdiff_t>(faces.size() / 2);
  box.emplace();
  std::copy_n(faces.begin(), dimensions, box->lower.begin());
  std::copy_n(faces.begin() + dimensions, dimensions, box->upper.begin());
  return true;
}

std::string print(const std::array<bool, 3>& axes) {
  std::string text;
  for (std::size_t d = 0; d < 3; ++d)
    if (axes[d]) text += "xyz"[d];
  return text.empty() ? "none" : text;
}

bool parse(std::string_view text, std::array<bool, 3>& axes) {
  axes.fill(false);
  if (text == "none") return true;
  for (const char letter : text) {
    const std::size_t axis = std::string_view("xyz").find(letter);
    if (axis == std::string_view::npos || axes[axis]) return false;
    axes[axis] = true;
  }
  return !text.empty();
}

std::string print(const std::array<double, 3>& lengths) {
  if (lengths == std::array<double, 3>{}) return "none";
  return print(lengths[0]) + ',' + print(lengths[1]) + ',' + print(lengths[2]);
}

// One length along all axes, or one along each.
bool parse(std::string_view text, std::array<double, 3>& lengths) {
  lengths.fill(0);
  if (text == "none") return true;
  std::size_t axis = 0;
  for (bool more = true; more; ++axis) {
    const std::size_t comma = text.find(',');
    if (axis == 3 || !parse(trimmed(text.substr(0, comma)), lengths[axis])) return false;
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  if (axis == 1) lengths.fill(lengths[0]);
  return true;
}

std::string print(const std::string& path) { return path.empty() ? "none" : path; }

bool parse(std::string_view text, std::string& path) {
  path = text == "none" ? "" : text;
  return true;
}

// What the text of all options can carry: it has a line for each, and comments.
bool fits_a_line(const std::string& path) {
  return path.find_first_of(std::string_view("\n\0", 2)) == std::string::npos &&
         trimmed(path) == path && !path.starts_with('#') && path.find(" #") == std::string::npos &&
         path.find("\t#") == std::string::npos;
}

// --- The table of options ------------------------------------------------------------------------

struct Descriptor {
  std::string_view key;
  const char* allowed;
  std::string (*print)(const Options&);
  // `code` are the options as code gave them, whatever has been read since.
  bool (*parse)(std::string_view text, Options&, const Options& code);
  bool (*makes_sense)(const Options&);
};

template <auto member>
std::string print_member(const Options& options) {
  return print(options.*member);
}

template <auto member>
bool parse_member(std::string_view text, Options& options, const Options&) {
  return parse(text, options.*member);
}

template <auto member>
constexpr Descriptor describe(std::string_view key, const char* allowed,
                              bool (*makes_sense)(const Options&)) {
  return {key, allowed, &print_member<member>, &parse_member<member>, makes_sense};
}

template <auto member>
constexpr Descriptor describe(std::string_view key, const char* allowed) {
  return describe<member>(key, allowed, [](const Options&) { return true; });
}

std::string print_trigger(const Options& options) { return to_text(options.trigger); }

bool parse_trigger(std::string_view text, Options& options, const Options& code) {
  options.trigger = trigger_from_text(std::string(text));
  if (std::holds_alternative<Custom>(options.trigger) &&
      std::holds_alternative<Custom>(code.trigger))
    options.trigger = code.trigger;
  return true;
}

bool trigger_makes_sense(const Options& options) {
  check(options.trigger);
  return true;
}

bool box_makes_sense(const Options& options) {
  if (options.box) check(*options.box, {false, false, false});
  return true;
}

bool are_lengths(const std::array<double, 3>& lengths) {
  return std::ranges::all_of(lengths,
                             [](double length) { return length >= 0 && std::isfinite(length); });
}

bool is_at_least_one_or_off(double number) {
  return number == 0 || (number >= 1 && std::isfinite(number));
}

constexpr const char* path_allowed =
    "none, or a path in one line, without blanks at its ends, without ' #'";

// In the order of the text of all options.
constexpr std::array descriptors = {
    describe<&Options::method>("method",
                               "hilbert, morton, snake, bisection, or staggered or tensor, which "
                               "may have domains along each axis behind them, as in 4x4x2"),
    Descriptor{"trigger", "a trigger", &print_trigger, &parse_trigger, &trigger_makes_sense},
    describe<&Options::box>("box",
                            "measured, or the lower faces and then the upper ones, 4 or 6 numbers "
                            "with commas between them",
                            &box_makes_sense),
    describe<&Options::periodic>("periodic", "none, or letters of x, y, z, each once"),
    describe<&Options::cell_size>(
        "cell_size", "none, or one to three numbers of at least 0 with commas between them",
        [](const Options& o) { return are_lengths(o.cell_size); }),
    describe<&Options::least_width>(
        "least_width", "none, or one to three numbers of at least 0 with commas between them",
        [](const Options& o) { return are_lengths(o.least_width); }),
    describe<&Options::target_lambda>(
        "target_lambda", "0 (off), or a number of at least 1",
        [](const Options& o) { return is_at_least_one_or_off(o.target_lambda); }),
    describe<&Options::least_objects>("least_objects", "a whole number of at least 0",
                                      [](const Options& o) { return o.least_objects >= 0; }),
    describe<&Options::staging_bytes>("staging_bytes", "a whole number of at least 0 (no limit)",
                                      [](const Options& o) { return o.staging_bytes >= 0; }),
    describe<&Options::messages_in_flight>(
        "messages_in_flight", "a whole number of at least 0 (no limit)",
        [](const Options& o) { return o.messages_in_flight >= 0; }),
    describe<&Options::origins>("origins", "on or off"),
    describe<&Options::floor_percent>(
        "floor_percent", "a number from 0 (off) to below 100",
        [](const Options& o) { return o.floor_percent >= 0 && o.floor_percent < 100; }),
    describe<&Options::least_coverage>(
        "least_coverage", "a number from 0 (off) to 1",
        [](const Options& o) { return o.least_coverage >= 0 && o.least_coverage <= 1; }),
    describe<&Options::horizon>("horizon", "a whole number of at least 0 (unknown)",
                                [](const Options& o) { return o.horizon >= 0; }),
    describe<&Options::expected_cost>(
        "expected_cost", "a number of at least 0",
        [](const Options& o) { return o.expected_cost >= 0 && std::isfinite(o.expected_cost); }),
    describe<&Options::epoch_steps>(
        "epoch_steps", "0 (as the trigger asks for), or a whole number from 6 to 1000000",
        [](const Options& o) {
          return o.epoch_steps == 0 ||
                 (o.epoch_steps >= least_epoch_steps && o.epoch_steps <= most_epoch_steps);
        }),
    describe<&Options::warmup_steps>("warmup_steps", "a whole number of at least 0",
                                     [](const Options& o) { return o.warmup_steps >= 0; }),
    describe<&Options::cooldown_steps>("cooldown_steps", "a whole number of at least 0",
                                       [](const Options& o) { return o.cooldown_steps >= 0; }),
    describe<&Options::clock>("clock", "automatic, wall or thread_cpu"),
    describe<&Options::deterministic>("deterministic", "on or off"),
    describe<&Options::strict_kernels>("strict_kernels", "on or off"),
    describe<&Options::watcher>("watcher", "on or off"),
    describe<&Options::log>("log", "off, summary, decisions or looks"),
    describe<&Options::journal>("journal", path_allowed,
                                [](const Options& o) { return fits_a_line(o.journal); }),
    describe<&Options::state>("state", path_allowed,
                              [](const Options& o) { return fits_a_line(o.state); }),
    describe<&Options::control>("control", path_allowed,
                                [](const Options& o) { return fits_a_line(o.control); }),
};
static_assert(least_epoch_steps == 6, "as the text above says");

const Descriptor* find(std::string_view key) {
  const auto found = std::ranges::find(descriptors, key, &Descriptor::key);
  return found != descriptors.end() ? &*found : nullptr;
}

// --- Suggestions ---------------------------------------------------------------------------------

// Levenshtein's: insertions, deletions and replacements that make one text of the other.
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

// The key that was probably meant, empty when none is near.
std::string_view nearest(std::string_view key, const std::vector<std::string_view>& keys) {
  const auto best = *std::ranges::min_element(
      keys, {}, [&](std::string_view known) { return distance(key, known); });
  return distance(key, best) <= best.size() / 3 ? best : std::string_view();
}

// --- Applying ------------------------------------------------------------------------------------

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

// A value and where it stands.
struct Entry {
  std::string place;  // before the name in Errors
  std::string name;   // of the option as it is spelled there
  std::string key;    // empty when the spelling is none of ours
  std::string value;
  bool is_variable;
};

std::string variable_of(std::string_view key) {
  return std::string(variable_prefix) + changed<&upper>(key);
}

[[noreturn]] void refuse_unknown(const Entry& entry) {
  std::vector<std::string_view> keys(descriptors.size());
  std::ranges::transform(descriptors, keys.begin(), &Descriptor::key);
  if (entry.is_variable) keys.push_back(file_key);
  std::string list;
  for (const std::string_view key : keys) list += (list.empty() ? "" : ", ") + std::string(key);

  std::string meant = changed<&lower>(entry.name);
  if (entry.is_variable) meant.erase(0, std::min(meant.size(), variable_prefix.size()));
  const std::string_view near = nearest(meant, keys);
  const std::string suggestion = entry.is_variable ? variable_of(near) : std::string(near);
  refuse(entry.place + in_quotes(entry.name) + " is no option. The options are " + list +
             (entry.is_variable ? ", in capitals behind EVENKEEL_." : "."),
         near.empty() ? "Use one of them." : "Did you mean '" + suggestion + "'?");
}

void apply(const Entry& entry, Options& options, const Options& code) {
  const Descriptor* descriptor = find(entry.key);
  if (descriptor == nullptr) refuse_unknown(entry);
  bool accepted = false;
  try {
    accepted = descriptor->parse(entry.value, options, code) && descriptor->makes_sense(options);
  } catch (const Error& error) {
    refuse(entry.place + entry.name + ": " + error.problem(), error.remedy());
  }
  if (!accepted)
    refuse(entry.place + entry.name + " is " + in_quotes(entry.value) + '.',
           std::string("Give ") + descriptor->allowed + '.');
}

void apply(const std::vector<Entry>& entries, Options& options, const Options& code) {
  for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
    apply(*entry, options, code);
    if (std::find_if(entries.begin(), entry,
                     [&](const Entry& other) { return other.key == entry->key; }) != entry)
      refuse(entry->place + entry->name + " is there twice.", "Keep one of them.");
  }
}

// --- Sources -------------------------------------------------------------------------------------

std::string_view without_comment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1))
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return line.substr(0, at);
  return line;
}

Entry entry_of(std::string_view line, const std::string& place) {
  const std::size_t equals = line.find('=');
  const std::string name(trimmed(line.substr(0, equals)));
  if (equals == std::string_view::npos || name.empty())
    refuse(place + in_quotes(line) + " is no option with a value.",
           "Write key = value, and # before a comment.");
  if (name == file_key)
    refuse(place + "a text cannot name an options_file.",
           "Name it in code or in EVENKEEL_OPTIONS_FILE.");
  return {place, name, name, std::string(trimmed(line.substr(equals + 1))), false};
}

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

// Only the exact spelling counts: EVENKEEL_trigger is none.
std::vector<Entry> entries_of(const Variables& variables) {
  std::vector<Entry> entries;
  for (const auto& [name, value] : variables) {
    if (name == file_variable) continue;
    std::string key = changed<&lower>(name).substr(std::min(name.size(), variable_prefix.size()));
    if (variable_of(key) != name) key.clear();
    entries.push_back({"", name, key, std::string(trimmed(value)), true});
  }
  return entries;
}

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

std::string options_file_of(const Options& code, const Variables& variables) {
  std::string path = code.options_file;
  for (const auto& [name, value] : variables)
    if (name == file_variable) path = value;
  return path;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content;
  for (std::string line; std::getline(file, line);) content += line + '\n';
  if (!file.is_open() || file.bad())
    refuse("The options file " + in_quotes(path) + " cannot be read.",
           "Name a file that exists and that you may read, in code or in EVENKEEL_OPTIONS_FILE.");
  return content;
}

}  // namespace

void check(const Options& options) {
  for (const Descriptor& descriptor : descriptors)
    if (!descriptor.makes_sense(options))
      refuse(std::string(descriptor.key) + " is " + in_quotes(descriptor.print(options)) + '.',
             std::string("Give ") + descriptor.allowed + '.');
  if (options.box) return check(*options.box, options.periodic);
  if (options.periodic != std::array<bool, 3>{})
    refuse("periodic is " + in_quotes(print(options.periodic)) + ", and no box is given.",
           "Give the box whose opposite faces meet.");
}

State first_state(const Options& options) {
  State state;
  state.trigger = options.trigger;
  state.floor_percent = options.floor_percent;
  state.least_coverage = options.least_coverage;
  state.cooldown_steps = options.cooldown_steps;
  state.horizon = options.horizon;
  state.expected_cost = options.expected_cost;
  state.epoch_steps = options.epoch_steps;
  state.latency_steps = 2 * protocol_latency_steps + 1;
  state.ledger.cost.method = 1 + static_cast<std::int64_t>(options.method.index());
  return state;
}

std::string to_text(const Options& options) {
  std::string text;
  for (const Descriptor& descriptor : descriptors)
    text += std::string(descriptor.key) + " = " + descriptor.print(options) + '\n';
  return text;
}

Options from_text(const std::string& text, const Options& base, const std::string& source) {
  Options options = base;
  apply(entries_of(text, source), options, base);
  return options;
}

Variables environment_options() {
  Variables variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos && means_an_option(text.substr(0, equals)))
      variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

Options resolve(const Options& code, const Variables& variables) {
  Options options = code;
  const std::string file = options_file_of(code, variables);
  if (!file.empty()) apply(entries_of(content_of(file), file), options, code);
  apply(entries_of(variables), options, code);
  check(options);
  return options;
}

Options agree(const Communicator& communicator, const Options& code) {
  std::string text;
  vote(communicator, attempt(stage_name, [&] {
         if (communicator.rank() == 0) text = to_text(resolve(code, environment_options()));
       }));
  text.resize(static_cast<std::size_t>(communicator.broadcast(std::ssize(text), 0)));
  communicator.broadcast(std::span<char>(text), 0);
  Options agreed;
  vote(communicator,
       attempt(stage_name, [&] { agreed = from_text(text, code, "the options of rank 0"); }));
  return agreed;
}

}  // namespace evenkeel
