// Options of placement: the method, the box, and the resources of a move.
#include "options/place_options.hpp"
#include "options/table.hpp"

#include <evenkeel/core/graph/check.hpp>
#include <evenkeel/core/weights/load.hpp>

#include <cmath>
#include <numeric>

namespace evenkeel::detail {

namespace {

// The numbers with commas between them.
template <class Numbers>
std::string print_list(const Numbers& numbers) {
  std::string text;
  for (const auto number : numbers) {
    if (!text.empty()) text += ',';
    text += print(number);
  }
  return text;
}

template <class Number>
bool parse_list(std::string_view text, std::vector<Number>& numbers) {
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    if (!parse(trimmed(text.substr(0, comma)), numbers.emplace_back())) return false;
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  return true;
}

}  // namespace

// --- Methods -------------------------------------------------------------------------------------

std::string print(const Method& method) { return to_text(method); }

bool parse(std::string_view text, Method& method) {
  const std::optional<Method> read = method_from_text(text);
  if (read) method = *read;
  return read.has_value();
}

// --- Geometry ------------------------------------------------------------------------------------

std::string print(const std::optional<Box>& box) {
  return box ? print_list(box->lower) + ',' + print_list(box->upper) : "measured";
}

// Reads lower and upper coordinates: four numbers in two dimensions, six in three.
bool parse(std::string_view text, std::optional<Box>& box) {
  box.reset();
  if (text == "measured") return true;
  std::vector<double> faces;
  if (!parse_list(text, faces)) return false;
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
  return print_list(lengths);
}

// Reads one length for all axes, or one for each axis.
bool parse(std::string_view text, std::array<double, 3>& lengths) {
  lengths.fill(0);
  if (text == "none") return true;
  std::vector<double> given;
  if (!parse_list(text, given) || given.size() > lengths.size()) return false;
  std::ranges::copy(given, lengths.begin());
  if (given.size() == 1) lengths.fill(given.front());
  return true;
}

std::string print(const std::vector<int>& numbers) {
  return numbers.empty() ? "none" : print_list(numbers);
}

std::string print(const std::vector<double>& numbers) {
  return numbers.empty() ? "none" : print_list(numbers);
}

bool parse(std::string_view text, std::vector<int>& numbers) {
  numbers.clear();
  return text == "none" || parse_list(text, numbers);
}

bool parse(std::string_view text, std::vector<double>& numbers) {
  numbers.clear();
  return text == "none" || parse_list(text, numbers);
}

// --- The rows ------------------------------------------------------------------------------------

namespace {

constexpr std::string_view system_word = "system";

bool parse_bytes(std::string_view text, double& bytes) {
  bytes = system_memory;
  if (text == system_word) return true;
  const std::optional<double> read = bytes_from_text(text);
  if (read) bytes = *read;
  return read.has_value();
}

std::string print_memory(const Options& options) {
  std::string text;
  for (const double bytes : options.memory) {
    if (!text.empty()) text += ',';
    text += bytes == system_memory ? std::string(system_word) : text_of_bytes(bytes);
  }
  return text.empty() ? "none" : text;
}

bool parse_memory(std::string_view text, Options& options, const Options&) {
  options.memory.clear();
  if (text == "none") return true;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    if (!parse_bytes(trimmed(text.substr(0, comma)), options.memory.emplace_back())) return false;
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  return true;
}

bool are_limits(const Options& options) {
  constexpr double most = 0x1p60;
  return std::ranges::all_of(options.memory, [](double bytes) {
    return bytes == system_memory || (bytes >= 1 && bytes <= most);
  });
}

const char* names_of(Methods methods) {
  switch (methods) {
    case Methods::any: break;
    case Methods::curves: return "hilbert, morton or snake";
    case Methods::boxes: return "staggered, tensor or bisection";
    case Methods::grids: return "staggered or tensor";
  }
  return method_texts;
}

bool method_makes_sense(const Options& options) {
  if (const auto* const graph = std::get_if<ByGraph>(&options.method)) check(*graph);
  if (options.method == Method(RecursiveBisection{{false, false, false}}))
    refuse_option("the method is a bisection that cuts no axis.", "Name at least one axis.");
  if (is_among(options.method, options.methods)) return true;
  refuse_option("the method is " + in_quotes(to_text(options.method)) +
                    ", which this application cannot work with.",
                std::string("Choose ") + names_of(options.methods) + '.');
}

// True if the list names each number from 0 to its length - 1 once. Another check compares its
// length with the number of ranks, when that is known.
bool is_each_once(const Options& options) {
  std::vector<int> ranks = options.rank_of_part;
  std::sort(ranks.begin(), ranks.end());
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (ranks[i] != static_cast<int>(i)) return false;
  return true;
}

constexpr std::string_view learned_word = "learned";

std::string print_speeds(const Options& options) {
  return learns_speeds(options) ? std::string(learned_word) : print(options.speeds);
}

bool parse_speeds(std::string_view text, Options& options, const Options&) {
  if (text != learned_word) return parse(text, options.speeds) && !learns_speeds(options);
  options.speeds = {learned_speeds};
  return true;
}

// As above, their number is checked later.
bool are_speeds(const Options& options) {
  const std::vector<double>& speeds = options.speeds;
  if (learns_speeds(options)) return true;
  const double sum = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  return std::isfinite(sum) && std::ranges::all_of(speeds, [](double speed) { return speed > 0; });
}

bool box_makes_sense(const Options& options) {
  if (options.box) check(*options.box, {false, false, false});
  return true;
}

bool are_lengths(const std::array<double, 3>& lengths) {
  return std::ranges::all_of(lengths,
                             [](double length) { return length >= 0 && std::isfinite(length); });
}

constexpr std::array placing_rows = {
    describe<&Options::method>("method", method_texts, &method_makes_sense),
    describe<&Options::box>("box",
                            "measured, or the lower faces and then the upper ones, 4 or 6 numbers "
                            "with commas between them",
                            &box_makes_sense),
    describe<&Options::periodic>("periodic", "none, or some of the letters x, y and z, each once"),
    describe<&Options::wrap>("wrap", "on or off"),
    describe<&Options::rank_of_part>(
        "rank_of_part", "none, or the numbers of all ranks, each once, with commas between them",
        &is_each_once),
    Descriptor{
        "speeds",
        "none, or learned, or the speed of each rank: positive numbers with commas between them",
        &print_speeds, &parse_speeds, &are_speeds},
    Descriptor{"memory",
               "none, or the bytes of all ranks or of each rank, with commas between them: system, "
               "or numbers of at least 1 such as 16GiB or 1.5GB",
               &print_memory, &parse_memory, &are_limits},
    describe<&Options::cell_size>(
        "cell_size", "none, or one to three numbers of at least 0 with commas between them",
        [](const Options& o) { return are_lengths(o.cell_size); }),
    describe<&Options::least_width>(
        "least_width", "none, or one to three numbers of at least 0 with commas between them",
        [](const Options& o) { return are_lengths(o.least_width); }),
    describe<&Options::target_lambda>(
        "target_lambda",
        "0 (off), or a lambda (greatest over average) of at least 1: 1.03 allows 3 % above the "
        "average",
        [](const Options& o) { return o.target_lambda == 0 || is_target_lambda(o.target_lambda); }),
    describe<&Options::least_objects>("least_objects", "a whole number of at least 0",
                                      [](const Options& o) { return o.least_objects >= 0; }),
    describe<&Options::staging_bytes>("staging_bytes", "a whole number of at least 0 (no limit)",
                                      [](const Options& o) { return o.staging_bytes >= 0; }),
    describe<&Options::messages_in_flight>(
        "messages_in_flight", "a whole number of at least 0 (no limit)",
        [](const Options& o) { return o.messages_in_flight >= 0; }),
    describe<&Options::origins>("origins", "on or off"),
};

}  // namespace

std::span<const Descriptor> placing_options() { return placing_rows; }

}  // namespace evenkeel::detail
