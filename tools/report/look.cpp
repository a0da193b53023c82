#include "report/look.hpp"

#include "decide/state_members.hpp"
#include "tell/totals_members.hpp"

#include <evenkeel/backends/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <tuple>

namespace evenkeel::tool::report {

namespace {

using nlohmann::json;

// Sums of two such numbers do not overflow.
constexpr std::int64_t most = std::int64_t{1} << 61;

// Beyond any load, and far from where a double ends.
constexpr double most_real = 1e30;

constexpr std::int64_t most_owner = std::int64_t{1} << 30;

// The member, or nothing where there is none or it is null.
const json* find(const json& from, const char* key) {
  const auto found = from.find(key);
  return found == from.end() || found->is_null() ? nullptr : &*found;
}

std::int64_t whole_from(const json& from, std::int64_t least = -most) {
  if (from.is_number_unsigned() && from.get<std::uint64_t>() > static_cast<std::uint64_t>(most))
    return most;
  if (!from.is_number_integer()) throw std::invalid_argument("a number is not whole");
  return std::clamp(from.get<std::int64_t>(), least, most);
}

double real_from(const json& from) {
  if (!from.is_number()) throw std::invalid_argument("a value is not a number");
  return std::clamp(from.get<double>(), -most_real, most_real);
}

std::string text_from(const json& from) {
  if (!from.is_string()) throw std::invalid_argument("a value is not a text");
  return from.get<std::string>();
}

std::optional<double> optional_real(const json& from, const char* key) {
  const json* found = find(from, key);
  return found == nullptr ? std::nullopt : std::optional(real_from(*found));
}

std::int64_t count_in(const json& from, const char* key) {
  const json* found = find(from, key);
  return found == nullptr ? 0 : whole_from(*found, 0);
}

std::string text_in(const json& from, const char* key) {
  const json* found = find(from, key);
  return found == nullptr ? std::string() : text_from(*found);
}

std::uint64_t hash_from(const json& from) {
  const std::string text = text_from(from);
  std::uint64_t hash = 0;
  std::from_chars(text.data(), text.data() + text.size(), hash, 16);
  return hash;
}

Tally tally_from(const json& from) {
  if (!from.is_array() || from.size() != 3) throw std::invalid_argument("a tally is incomplete");
  return {whole_from(from[0], 0), whole_from(from[1], 0), whole_from(from[2], 0)};
}

const json& array_of(const json& from) {
  if (!from.is_array()) throw std::invalid_argument("a value is not a list");
  return from;
}

// Takes those of the listed members that are there.
struct TakeMembers {
  const json& from;

  void operator()(const char* key, std::int64_t& number) const {
    if (const json* found = find(from, key)) number = whole_from(*found);
  }
  void operator()(const char* key, double& number) const {
    if (const json* found = find(from, key)) number = real_from(*found);
  }
  void operator()(const char* key, std::uint64_t& hash) const {
    if (const json* found = find(from, key)) hash = hash_from(*found);
  }
  void operator()(const char* key, Tally& tally) const {
    if (const json* found = find(from, key)) tally = tally_from(*found);
  }
  // A text that this version does not know leaves the trigger as it is.
  void operator()(const char* key, Trigger& trigger) const {
    const json* found = find(from, key);
    if (found == nullptr) return;
    try {
      trigger = trigger_from_text(text_from(*found));
    } catch (const Error&) {
      return;
    }
  }
  void operator()(const char* key, Counterfactual& would_be) const {
    if (const json* found = find(from, key)) detail::for_each_member(would_be, TakeMembers{*found});
  }
  template <class Number, std::size_t count>
  void operator()(const char* key, std::array<Number, count>& numbers) const {
    const json* found = find(from, key);
    if (found == nullptr) return;
    const std::size_t there = std::min(count, array_of(*found).size());
    for (std::size_t i = 0; i < there; ++i) take((*found)[i], numbers[i]);
  }

 private:
  static void take(const json& value, std::int64_t& number) { number = whole_from(value); }
  static void take(const json& value, double& number) { number = real_from(value); }
  static void take(const json& value, Tally& tally) { tally = tally_from(value); }
};

State state_from(const json& from) {
  State state;
  detail::for_each_member(state, TakeMembers{from});
  return state;
}

// Negative times are none.
Totals totals_from(const json& from) {
  Totals totals;
  totals.load = totals.duration = totals.objects = Tally::of(0);
  totals.kernels.fill(Tally::of(0));
  totals.phases.fill(Tally::of(0));
  detail::for_each_member(totals, TakeMembers{from});
  for (std::int64_t* number : {&totals.ranks, &totals.steps, &totals.all_steps, &totals.all_load,
                               &totals.cost, &totals.rebuild, &totals.extra, &totals.bytes})
    *number = std::max<std::int64_t>(0, *number);
  for (StepSlots* slots : {&totals.slots, &totals.other_slots})
    for (std::int64_t& slot : *slots) slot = std::max<std::int64_t>(0, slot);
  return totals;
}

std::vector<std::pair<std::string, KernelSeconds>> kernels_from(const json& from) {
  std::vector<std::pair<std::string, KernelSeconds>> kernels;
  for (const auto& [name, seconds] : from.items())
    kernels.emplace_back(name, KernelSeconds{optional_real(seconds, "min").value_or(0),
                                             optional_real(seconds, "avg").value_or(0),
                                             optional_real(seconds, "max").value_or(0)});
  return kernels;
}

std::vector<double> reals_from(const json& from) {
  std::vector<double> numbers;
  for (const json& each : array_of(from)) numbers.push_back(real_from(each));
  return numbers;
}

// Two numbers from 0 to `greatest`.
std::pair<int, int> pair_from(const json& from, std::int64_t greatest) {
  if (array_of(from).size() != 2) throw std::invalid_argument("a pair is incomplete");
  const auto number = [&](const json& each) {
    const std::int64_t value = whole_from(each);
    if (value < 0 || value > greatest) throw std::invalid_argument("a number is out of range");
    return static_cast<int>(value);
  };
  return {number(from[0]), number(from[1])};
}

DomainSection section_from(const json& from) {
  constexpr std::int64_t most_cells = 256;  // along an axis
  DomainSection plane;
  std::tie(plane.across, plane.up) = pair_from(from.at("axes"), 2);
  std::tie(plane.columns, plane.rows) = pair_from(from.at("cells"), most_cells);
  plane.at = optional_real(from, "at").value_or(0);
  const auto cells = static_cast<std::size_t>(plane.columns) * static_cast<std::size_t>(plane.rows);
  const json& runs = array_of(from.at("owners"));
  for (std::size_t i = 0; i + 1 < runs.size(); i += 2) {
    const auto owner = static_cast<int>(std::min(whole_from(runs[i], 0), most_owner));
    const auto times = static_cast<std::size_t>(whole_from(runs[i + 1], 0));
    if (times > cells - plane.owners.size())
      throw std::invalid_argument("there are more owners than cells");
    plane.owners.insert(plane.owners.end(), times, owner);
  }
  if (plane.owners.size() != cells) throw std::invalid_argument("there are cells without owners");
  return plane;
}

DomainSections domains_from(const json& from) {
  DomainSections domains;
  domains.low = reals_from(from.at("low"));
  domains.high = reals_from(from.at("high"));
  for (const json& plane : array_of(from.at("planes")))
    domains.planes.push_back(section_from(plane));
  const std::size_t dimensions = domains.low.size();
  const auto lies_outside = [&](const DomainSection& plane) {
    return static_cast<std::size_t>(std::max(plane.across, plane.up)) >= dimensions;
  };
  if (domains.high.size() != dimensions || std::ranges::any_of(domains.planes, lies_outside))
    throw std::invalid_argument("a plane has other axes than the box");
  return domains;
}

// Earlier journals call a rebalance that no look has asked for `not_asked`, too.
std::string cause_from(const json& line, const Look& look) {
  std::string cause = text_in(line, "cause");
  if (cause != "not_asked" || look.decision != "rebalance") return cause;
  return look.reason == "asked for by the application" ? "requested" : "due";
}

std::optional<Taken> taken_from(const json& line) {
  const json* at = find(line, "taken_at");
  if (at == nullptr) return std::nullopt;
  Taken taken;
  taken.at = whole_from(*at, 0);
  taken.kind = text_in(line, "kind");
  if (const json* changed = find(line, "changed"); changed != nullptr && changed->is_boolean())
    taken.changed = changed->get<bool>();
  taken.seconds = optional_real(line, "cost");
  taken.lambda_foreseen = optional_real(line, "lambda_foreseen");
  taken.objects = count_in(line, "objects_moved");
  taken.bytes = count_in(line, "bytes_moved");
  if (const json* stages = find(line, "seconds"))
    for (const auto& [name, seconds] : stages->items())
      if (!seconds.is_null()) taken.stages.emplace_back(name, real_from(seconds));
  if (const json* domains = find(line, "domains")) taken.domains = domains_from(*domains);
  return taken;
}

CostTable costs_from(const json& from) {
  CostTable table;
  if (const json* rows = find(from, "rows"))
    for (const json& each : array_of(*rows)) {
      CostRow row;
      constexpr std::int64_t most_number = 1'000'000;  // of a set, a type or a feature
      const auto number = [&](const char* key) {
        return static_cast<int>(std::min(count_in(each, key), most_number));
      };
      row.set = number("set");
      row.is_feature = find(each, "feature") != nullptr;
      row.number = number(row.is_feature ? "feature" : "type");
      row.amount = optional_real(each, "amount").value_or(0);
      row.seconds = optional_real(each, "seconds").value_or(0);
      row.error = optional_real(each, "error").value_or(0);
      table.rows.push_back(row);
    }
  table.fixed_seconds = optional_real(from, "fixed_seconds").value_or(0);
  table.noise = optional_real(from, "noise").value_or(0);
  table.frozen = static_cast<int>(std::min<std::int64_t>(count_in(from, "frozen"), 1000));
  return table;
}

// Empty unless all of them are known.
std::vector<double> per_rank_from(const json& from) {
  std::vector<double> seconds;
  for (const json& each : array_of(from)) {
    if (each.is_null()) return {};
    seconds.push_back(std::max(0.0, real_from(each)));
  }
  return seconds;
}

void require_object(const json& line) {
  if (!line.is_object()) throw std::invalid_argument("it is not an object");
}

}  // namespace

Start start_from(const json& line) {
  require_object(line);
  Start start;
  start.version = text_from(line.at("version"));
  start.ranks = whole_from(line.at("ranks"), 0);
  start.name = text_in(line, "name");
  if (const json* state = find(line, "state")) start.state = state_from(*state);
  if (const json* options = find(line, "options"))
    for (const auto& [key, value] : options->items())
      start.options[key] = value.is_string() ? value.get<std::string>() : value.dump();
  return start;
}

Finish finish_from(const json& line) {
  Finish finish;
  finish.step = whole_from(line.at("step"), 0);
  finish.state = state_from(line.at("state"));
  finish.summary = text_from(line.at("summary"));
  const json& books = line.at("account");
  const auto real = [&](const char* key) { return optional_real(books, key).value_or(0); };
  Account& account = finish.account;
  account.steps = count_in(books, "steps");
  account.measured_steps = count_in(books, "measured_steps");
  account.mean = real("mean");
  account.actual = real("actual");
  account.never = real("never");
  account.knows_never = find(books, "knows_never") != nullptr && books["knows_never"] == true;
  account.uncertainty = real("uncertainty");
  account.own_cost = real("own_cost");
  account.rebuild_cost = real("rebuild_cost");
  account.advised = real("advised");
  return finish;
}

Look look_from(const json& line) {
  require_object(line);
  Look look;
  look.step = whole_from(line.at("step"), 0);
  look.decision = text_from(line.at("decision"));
  look.generation = find(line, "generation") ? whole_from(line["generation"]) : 0;
  look.reason = text_in(line, "reason");
  look.cause = cause_from(line, look);
  if (const json* state = find(line, "state")) look.before = state_from(*state);
  if (const json* totals = find(line, "totals")) look.totals = totals_from(*totals);
  look.predicted_gain = optional_real(line, "predicted_gain");
  look.taken = taken_from(line);
  if (const json* kernels = find(line, "kernels")) look.kernels = kernels_from(*kernels);
  if (const json* per_rank = find(line, "per_rank")) look.per_rank = per_rank_from(*per_rank);
  if (const json* histogram = find(line, "histogram"))
    for (const json& count : array_of(*histogram)) look.histogram.push_back(whole_from(count, 0));
  if (const json* costs = find(line, "costs")) look.costs = costs_from(*costs);
  return look;
}

}  // namespace evenkeel::tool::report
