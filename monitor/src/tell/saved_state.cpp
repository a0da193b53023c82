#include "tell/saved_state.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace evenkeel {

namespace {

constexpr std::string_view title = "evenkeel state 1\n";
constexpr std::string_view ranks_key = "ranks = ";

[[noreturn]] void refuse(const std::string& source, const std::string& problem) {
  throw Error(ErrorKind::bad_input, Where{"monitor/state"}, source + ": " + problem,
              "Give a state that this version of evenkeel has saved, or none.");
}

// A state that evenkeel wrote makes sense; one that somebody has edited may not.
void check(const State& state, const std::string& source) {
  const CostModel& cost = state.ledger.cost;
  const Outlook& outlook = state.outlook;
  const double least_known = *std::ranges::min_element(outlook.ageing.known);
  const std::array<std::pair<const char*, double>, 10> numbers = {
      {{"cost_weight", cost.weight},
       {"cost_mean", cost.cost},
       {"cost_bytes", cost.bytes},
       {"cost_bytes_squared", cost.bytes_squared},
       {"cost_bytes_by_cost", cost.bytes_by_cost},
       {"cost_last_bytes", cost.last_bytes},
       {"outlook_variance", outlook.variance},
       {"outlook_variance_looks", static_cast<double>(outlook.variance_looks)},
       {"outlook_bends_known", static_cast<double>(outlook.bends_known)},
       {"outlook_ageing_known", least_known}}};
  for (const auto& [key, number] : numbers)
    if (number < 0) refuse(source, std::string(key) + " is " + in_quotes(text_of(number)) + '.');
}

}  // namespace

std::string saved_text(const State& state, int ranks) {
  State last = state;
  last.ledger.settle();
  return std::string(title) + std::string(ranks_key) + std::to_string(ranks) + '\n' + to_text(last);
}

State restored(const State& first, const std::string& saved, int ranks, const std::string& source) {
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
  const State then = state_from_text(std::string(rest), source);

  check(then, source);

  constexpr double weight_elsewhere = 0.25;  // the first rebalance here counts five times as much
  State now = first;
  const bool same_ranks = *ranks_then == ranks;
  if (then.ledger.cost.knows() && then.ledger.cost.method == first.ledger.cost.method) {
    now.ledger.cost = then.ledger.cost;
    if (!same_ranks) now.ledger.cost.weight = std::min(weight_elsewhere, now.ledger.cost.weight);
  }
  if (!same_ranks) return now;
  now.outlook.bends = then.outlook.bends;
  now.outlook.bends_known = then.outlook.bends_known;
  now.outlook.variance = then.outlook.variance;
  now.outlook.variance_looks = then.outlook.variance_looks;
  now.outlook.ageing = then.outlook.ageing;
  now.outlook.last_shortfall = then.outlook.last_shortfall;
  now.outlook.shortfall_ratio = then.outlook.shortfall_ratio;
  return now;
}

std::string read_saved(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) {
    if (errno == ENOENT) return {};
    refuse(in_quotes(path),
           "it cannot be read: " + std::error_code(errno, std::generic_category()).message() + '.');
  }
  std::ostringstream content;
  content << file.rdbuf();
  std::string text = content.str();
  if (file.bad() || text.empty()) refuse(in_quotes(path), "it cannot be read, or is empty.");
  return text;
}

bool write_saved(const std::string& path, const std::string& text) {
  const std::string whole = path + ".new" + std::to_string(getpid());
  std::ofstream file(whole, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file.good() && std::rename(whole.c_str(), path.c_str()) == 0) return true;
  std::remove(whole.c_str());
  return false;
}

}  // namespace evenkeel
