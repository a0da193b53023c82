#include "tell/saved_state.hpp"

#include "tell/files.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/text.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <unistd.h>

namespace evenkeel {

namespace {

constexpr std::string_view title = "evenkeel state 1\n";
constexpr std::string_view ranks_key = "ranks = ", costs_key = "costs = ";
constexpr const char *type_word = "type", *feature_word = "feature";

std::string costs_text(const CostTable& costs) {
  std::string text;
  for (const CostTable::Row& row : costs.rows)
    text += std::string(costs_key) + std::to_string(row.set) + ' ' +
            (row.is_feature ? feature_word : type_word) + ' ' + std::to_string(row.number) + ' ' +
            text_of(row.seconds) + ' ' + text_of(row.error) + '\n';
  return text;
}

[[noreturn]] void refuse(const std::string& source, const std::string& problem) {
  throw Error(ErrorKind::bad_input, Where{"monitor/state"}, source + ": " + problem,
              "Give a state that this version of evenkeel has saved, or no state.");
}

// A state that evenkeel wrote is valid, but a user may have edited it.
void check(const DecisionState& state, const std::string& source) {
  const CostModel& cost = state.ledger.cost;
  const Outlook& outlook = state.outlook;
  const double least_known = *std::ranges::min_element(outlook.ageing.known);
  const std::array<std::pair<const char*, double>, 11> numbers = {
      {{"step", static_cast<double>(state.step)},
       {"cost_weight", cost.weight},
       {"cost_mean", cost.cost},
       {"cost_bytes", cost.bytes},
       {"cost_bytes_bytes", cost.bytes_bytes},
       {"cost_first", cost.first_cost},
       {"cost_first_bytes", cost.first_bytes},
       {"cost_moved", cost.moved},
       {"cost_predicted", cost.predicted},
       {"outlook_variance", outlook.scatter.variance},
       {"outlook_ageing_known", least_known}}};
  for (const auto& [key, number] : numbers)
    if (number < 0) refuse(source, std::string(key) + " is " + in_quotes(text_of(number)) + '.');
}

// The permissions that the system gives new files; empty if it does not report the umask.
std::optional<mode_t> rights_of_new_files() {
  std::ifstream told("/proc/self/status");
  for (std::string line; std::getline(told, line);) {
    unsigned mask = 0;
    if (std::sscanf(line.c_str(), "Umask: %o", &mask) == 1) return 0666U & ~mask;
  }
  return std::nullopt;
}

// A new file in the directory of `path`. The destructor removes it, unless it has replaced `path`.
class FileBeside {
 public:
  explicit FileBeside(const std::string& path) : path_(detail::without_links(path)) {
    struct stat old = {};
    const bool is_there = ::stat(path_.c_str(), &old) == 0;
    if (is_there && !S_ISREG(old.st_mode)) {
      reason_ = "it is not a regular file";
      return;
    }
    name_ = path_ + ".new-XXXXXX";
    file_ = detail::FileDescriptor(::mkostemp(name_.data(), O_CLOEXEC));
    if (!file_.is_open()) {
      reason_ = detail::reason_of(errno);
      name_.clear();
      return;
    }
    const auto rights = is_there ? old.st_mode & 0777U : rights_of_new_files();
    if (rights) note(::fchmod(file_.number(), *rights) == 0 ? 0 : errno);
  }
  ~FileBeside() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  FileBeside(const FileBeside&) = delete;
  FileBeside& operator=(const FileBeside&) = delete;

  const std::string& reason() const noexcept { return reason_; }  // of a failure, or empty

  // Some file systems report a lack of space only at fsync or close.
  void write(const std::string& text) {
    note(detail::write_whole(file_, text));
    if (reason_.empty() && ::fsync(file_.number()) != 0 && errno != EINVAL) note(errno);
    if (!file_.close() && reason_.empty()) note(errno);
  }
  void take_place() {
    if (std::rename(name_.c_str(), path_.c_str()) != 0) return note(errno);
    name_.clear();
  }

 private:
  void note(int error_number) {
    if (error_number != 0) reason_ = detail::reason_of(error_number);
  }

  std::string path_, name_, reason_;
  detail::FileDescriptor file_;
};

// The row of one line "costs = SET type|feature NUMBER SECONDS ERROR".
CostTable::Row row_of(std::string_view words, const std::string& source) {
  std::istringstream text{std::string(words)};
  CostTable::Row row;
  std::string kind, rest;
  text >> row.set >> kind >> row.number >> row.seconds >> row.error;
  row.is_feature = kind == feature_word;
  const int most = row.is_feature ? CostTable::Row::most_features : CostTable::Row::most_types;
  const bool makes_sense = (row.is_feature || kind == type_word) && row.set >= 0 &&
                           row.number >= 0 && row.number < most && std::isfinite(row.seconds) &&
                           row.seconds >= 0 && row.error >= 0;
  if (text.fail() || (text >> rest) || !makes_sense)
    refuse(source, "its line of costs " + in_quotes(std::string(words)) + " cannot be understood.");
  return row;
}

// Removes the lines of costs from the front of the text.
CostTable take_costs(std::string_view& text, const std::string& source) {
  CostTable costs;
  while (text.starts_with(costs_key)) {
    const std::size_t end = text.find('\n');
    costs.rows.push_back(row_of(text.substr(costs_key.size(), end - costs_key.size()), source));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return costs;
}

struct Saved {
  DecisionState state;
  std::int64_t ranks;
  CostTable costs;
};

// Older versions could not continue a run, and wrote no line "began_at = ...".
DecisionState state_of(std::string text, const std::string& source) {
  const std::string key = "began_at = ";
  if (text.find('\n' + key) == std::string::npos) text += key + "0\n";
  return state_from_text(text, source);
}

Saved read(const std::string& saved, const std::string& source) {
  std::string_view rest = saved;
  if (!rest.starts_with(title)) refuse(source, "it is not a saved state of this version.");
  rest.remove_prefix(title.size());
  const std::size_t end = rest.find('\n');
  const auto ranks_then =
      rest.starts_with(ranks_key) && end != std::string_view::npos
          ? integer_from_text(rest.substr(ranks_key.size(), end - ranks_key.size()))
          : std::nullopt;
  if (!ranks_then || *ranks_then < 1) refuse(source, "it does not say how many ranks the run had.");
  rest.remove_prefix(end + 1);
  CostTable costs = take_costs(rest, source);
  const DecisionState then = state_of(std::string(rest), source);
  check(then, source);
  return {then, *ranks_then, std::move(costs)};
}

// The initial state of a run, with the knowledge of the state `then`.
DecisionState with_learned(const DecisionState& first, const DecisionState& then, bool same_ranks) {
  // The first rebalance of this run then has five times the weight of all earlier ones together.
  constexpr double weight_elsewhere = 0.25;
  DecisionState now = first;
  if (then.ledger.cost.knows() && then.ledger.cost.method == first.ledger.cost.method) {
    now.ledger.cost = then.ledger.cost;
    now.ledger.cost.ahead = now.ledger.cost.asked = -1;
    if (!same_ranks) now.ledger.cost.weight = std::min(weight_elsewhere, now.ledger.cost.weight);
  }
  if (!same_ranks) return now;
  now.outlook.scatter = then.outlook.scatter;
  now.outlook.ageing = then.outlook.ageing;
  now.outlook.shortfall.last = then.outlook.shortfall.last;
  return now;
}

}  // namespace

std::string saved_text(const DecisionState& state, int ranks, std::int64_t steps,
                       const CostTable& costs) {
  DecisionState last = state;
  last.step = steps;
  last.ledger.settle();
  return std::string(title) + std::string(ranks_key) + std::to_string(ranks) + '\n' +
         costs_text(costs) + to_text(last);
}

Restored restored(const DecisionState& first, const std::string& saved, int ranks,
                  const std::string& source) {
  auto [then, ranks_then, costs] = read(saved, source);
  return {with_learned(first, then, ranks_then == ranks), std::move(costs), then.step};
}

std::optional<Restored> restored_on_all(const Communicator& communicator, std::string saved,
                                        const DecisionState& first, const std::string& source) {
  const auto bytes = static_cast<std::size_t>(communicator.broadcast(std::ssize(saved), 0));
  vote(communicator, attempt("monitor", [&] { saved.resize(bytes); }));
  communicator.broadcast(std::span<char>(saved), 0);
  if (saved.empty()) return std::nullopt;
  Restored found;
  vote(communicator,
       attempt("monitor", [&] { found = restored(first, saved, communicator.size(), source); }));
  return found;
}

std::string read_saved(const std::string& path) {
  constexpr std::size_t most_bytes = std::size_t{1} << 20;
  const detail::OpenedFile opened = detail::open_regular(path, O_RDONLY);
  if (opened.is_missing) return {};
  if (!opened) refuse(in_quotes(path), "it cannot be read: " + opened.reason + '.');
  std::string text = detail::read_from(opened.file, 0, most_bytes + 1);
  if (text.empty()) refuse(in_quotes(path), "it cannot be read, or is empty.");
  if (text.size() > most_bytes) refuse(in_quotes(path), "it is far too long for a saved state.");
  return text;
}

std::string write_saved(const std::string& path, const std::string& text) {
  FileBeside whole(path);
  if (whole.reason().empty()) whole.write(text);
  if (whole.reason().empty()) whole.take_place();
  return whole.reason();
}

std::string unwritable_reason(const std::string& path) { return FileBeside(path).reason(); }

}  // namespace evenkeel
