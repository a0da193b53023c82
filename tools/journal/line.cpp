#include "journal/line.hpp"

#include "decide/decision.hpp"
#include "tell/journal_members.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/text.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel::tool {

namespace {

using nlohmann::json;

[[noreturn]] void refuse_line(const std::string& reason) { throw std::invalid_argument(reason); }

// The range that numbers must be in.
struct NumberBounds {
  std::int64_t least, most;
  double most_real;
};
constexpr NumberBounds exact_bounds = {std::numeric_limits<std::int64_t>::lowest(),
                                       std::numeric_limits<std::int64_t>::max(),
                                       std::numeric_limits<double>::max()};
// Beyond any load, but so near 0 that sums of two numbers do not overflow.
constexpr NumberBounds tolerant_bounds = {-(std::int64_t{1} << 61), std::int64_t{1} << 61, 1e30};

constexpr const NumberBounds& bounds_of(Care care) noexcept {
  return care == Care::exact ? exact_bounds : tolerant_bounds;
}

class Reader {
 public:
  Reader(const json& from, Care care) : from_(from), care_(care) {
    if (!from.is_object()) refuse_line("it is not an object");
  }

  template <class T>
  static void read(const json& from, Care care, T& into) {
    detail::for_each_member(into, Reader(from, care));
  }

  template <class T>
  void operator()(const char* key, T& into) const {
    if (const json* found = find(key)) take(*found, into);
  }
  template <class T>
  void operator()(const char* key, T& into, bool /*is_known*/) const {
    if (const json* found = find(key); found != nullptr && !found->is_null()) take(*found, into);
  }
  // The kernels are null if the ranks did not agree on their names.
  void operator()(const char* key,
                  std::array<RankTally, Totals::named_kernels + 1>& kernels) const {
    const json* const found = find(key);
    if (found == nullptr || found->is_null()) return;
    if (array_of(*found).size() > Totals::named_kernels) refuse_line("there are too many kernels");
    take(*found, kernels);
    (*this)("other", kernels[Totals::other]);
  }
  template <class T>
  void shown(const char*, const T&) const {}
  template <class T>
  void unless_empty(const char* key, T& into) const {
    if (from_.contains(key)) (*this)(key, into, true);
  }

  void either(const char* one, const char* other, bool& is_other, int& number) const {
    is_other = from_.contains(other);
    (*this)(is_other ? other : one, number);
  }
  void pair(const char* key, int& first, int& second) const {
    std::array<std::int64_t, 2> numbers{};
    (*this)(key, numbers);
    constexpr std::int64_t most = 256;  // cells along an axis
    for (const std::int64_t number : numbers)
      if (number < 0 || number > most) refuse_line("a number is out of range");
    first = static_cast<int>(numbers[0]);
    second = static_cast<int>(numbers[1]);
  }
  void runs(const char* key, std::vector<int>& owners) const {
    constexpr std::size_t most_cells = std::size_t{256} * 256;
    std::vector<std::int64_t> runs;
    (*this)(key, runs);
    for (std::size_t i = 0; i + 1 < runs.size(); i += 2) {
      const std::int64_t owner = std::clamp<std::int64_t>(runs[i], 0, std::int64_t{1} << 30);
      if (runs[i + 1] < 0 || std::cmp_greater(runs[i + 1], most_cells - owners.size()))
        refuse_line("there are more owners than cells");
      owners.insert(owners.end(), static_cast<std::size_t>(runs[i + 1]), static_cast<int>(owner));
    }
  }
  void options(const char* key, std::string& options) const {
    const json* const found = find(key);
    if (found == nullptr || found->is_null()) return;
    for (const auto& [name, value] : found->items())
      options.append(name).append(" = ").append(value.is_string() ? value.get<std::string>()
                                                                  : value.dump()) += '\n';
  }
  void seconds(const char* key, double& nanoseconds, bool is_known) const {
    double seconds = 0;
    (*this)(key, seconds, is_known);
    nanoseconds = seconds * 1e9;
  }
  static Outcome& part(std::optional<Outcome>& outcome) { return outcome.emplace(); }
  void totals(const char* key, JournalLine& line) const {
    const json* const found = find(key);
    if (found != nullptr && !found->is_null()) take(*found, line.totals.emplace());
  }
  // Names are sorted, in the journal and in the totals. An entry "other" may be the sum of further
  // kernels; it is no kernel itself.
  void kernels(const char* key, JournalLine& line) const {
    const json* const found = find(key);
    if (found == nullptr || found->is_null()) return;
    for (const auto& [name, seconds] : found->items()) line.kernels.push_back(name);
    if (!line.totals || line.totals->kernels[Totals::other].sum == 0) return;
    const char* const sum = found->contains("other (2)") ? "other (2)" : "other";
    std::erase(line.kernels, sum);
  }
  void phases(const char* key, Outcome& outcome) const {
    const json* const found = find(key);
    if (found == nullptr || found->is_null()) return;
    const Reader inside(*found, care_);
    inside("lambdas", outcome.phase_lambdas);
    inside("shortfall_percent", outcome.shortfall_percent);
  }
  void ranks(const char* key, JournalLine& line) const {
    if (from_.contains("histogram")) {
      take(from_["histogram"], line.picture.emplace().values);
    } else if (const json* found = find(key); found != nullptr && !found->is_null()) {
      const auto& ranks = array_of(*found);
      const auto is_number = [](const json& each) { return each.is_number(); };
      if (!line.totals || ranks.size() > LoadPicture::slots ||
          std::cmp_not_equal(ranks.size(), line.totals->ranks) ||
          !std::ranges::all_of(ranks, is_number))
        return;
      const double of_step = 1e9 * static_cast<double>(line.totals->steps);
      auto value = line.picture.emplace().values.begin();
      for (const json& each : ranks) *value++ = whole(real_from(each) * of_step);
    }
  }

 private:
  const json* find(const char* key) const {
    if (care_ == Care::exact) return &from_.at(key);
    const auto found = from_.find(key);
    return found == from_.end() || found->is_null() ? nullptr : &*found;
  }
  static const json& array_of(const json& from) {
    if (!from.is_array()) refuse_line("a value is not a list");
    return from;
  }
  double real_from(const json& from) const {
    if (!from.is_number()) refuse_line("a value is not a number");
    const double most = bounds_of(care_).most_real;
    return std::clamp(from.get<double>(), -most, most);
  }
  std::int64_t whole_from(const json& from) const {
    if (!from.is_number_integer()) refuse_line("a number is not whole");
    const NumberBounds& bounds = bounds_of(care_);
    if (from.is_number_unsigned() && std::cmp_greater(from.get<std::uint64_t>(), bounds.most))
      return bounds.most;
    return std::clamp(from.get<std::int64_t>(), bounds.least, bounds.most);
  }

  template <class T>
  void take(const json& from, T& into) const {
    if constexpr (std::same_as<T, bool>) {
      if (!from.is_boolean()) refuse_line("a value is neither true nor false");
      into = from.get<bool>();
    } else if constexpr (std::integral<T>) {
      into = static_cast<T>(std::clamp<std::int64_t>(
          whole_from(from), std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()));
    } else if constexpr (requires { name_of(into); }) {
      take_name(from, into);
    } else {
      read(from, care_, into);
    }
  }
  void take(const json& from, double& real) const { real = real_from(from); }
  void take(const json& from, std::optional<std::int64_t>& into) const { into = whole_from(from); }
  void take(const json& from, std::string& text) const {
    if (!from.is_string()) refuse_line("a value is not a text");
    text = from.get<std::string>();
  }
  void take(const json& from, std::uint64_t& hash) const {
    std::string text;
    take(from, text);
    std::from_chars(text.data(), text.data() + text.size(), hash, 16);
  }
  // A tolerant reader raises negative times to 0.
  void take(const json& from, RankTally& tally) const {
    if (array_of(from).size() != 3) refuse_line("a tally is incomplete");
    take(from[0], tally.sum);
    take(from[1], tally.least);
    take(from[2], tally.greatest);
    if (care_ == Care::exact) return;
    for (std::int64_t* number : {&tally.sum, &tally.least, &tally.greatest})
      *number = std::max<std::int64_t>(0, *number);
  }
  // A tolerant reader leaves the trigger as it is if this version does not know the text.
  void take(const json& from, Trigger& trigger) const {
    std::string text;
    take(from, text);
    try {
      trigger = trigger_from_text(text);
    } catch (const Error&) {
      if (care_ == Care::exact) throw;
    }
  }
  template <class E>
  void take_name(const json& from, E& into) const {
    std::string name;
    take(from, name);
    const std::string_view unknown = "unknown";
    for (int i = 0; name_of(static_cast<E>(i)) != unknown; ++i)
      if (name == name_of(static_cast<E>(i))) {
        into = static_cast<E>(i);
        return;
      }
    refuse_line(in_quotes(name) + " is not known");
  }
  template <class T>
  void take(const json& from, std::vector<T>& into) const {
    for (const json& each : array_of(from)) take(each, into.emplace_back());
  }
  template <class T, std::size_t count>
  void take(const json& from, std::array<T, count>& into) const {
    if (care_ == Care::exact && array_of(from).size() > count) refuse_line("a list is too long");
    const std::size_t there = std::min(count, array_of(from).size());
    for (std::size_t i = 0; i < there; ++i) take(from[i], into[i]);
  }
  void take(const json& from, std::vector<std::pair<std::string, double>>& stages) const {
    for (const auto& [name, seconds] : from.items())
      if (!seconds.is_null()) stages.emplace_back(name, real_from(seconds));
  }
  void take(const json& from, DecisionState& state) const {
    read(from, care_, state);
    std::size_t known = 0;
    detail::for_each_member(state, [&](const char*, const auto&) { ++known; });
    if (care_ == Care::exact && from.size() != known)
      refuse_line("its state is of another version");
  }
  void take(const json& from, Totals& totals) const {
    if (care_ == Care::exact) return read(from, care_, totals);
    totals.load = totals.duration = totals.objects = RankTally::of(0);
    totals.kernels.fill(RankTally::of(0));
    totals.phases.fill(RankTally::of(0));
    read(from, care_, totals);
    const auto bound = [](std::int64_t& number) { number = std::max<std::int64_t>(0, number); };
    for (std::int64_t* number :
         {&totals.ranks, &totals.steps, &totals.all_steps, &totals.all_load, &totals.cost,
          &totals.rebuild, &totals.noted, &totals.extra, &totals.bytes})
      bound(*number);
    for (StepSlots* slots : {&totals.slots, &totals.other_slots})
      std::ranges::for_each(*slots, bound);
  }
  void take(const json& from, DomainSections::Plane& plane) const {
    read(from, care_, plane);
    if (std::cmp_not_equal(plane.owners.size(), plane.columns * plane.rows))
      refuse_line("a plane does not have one owner per cell");
  }
  void take(const json& from, DomainSections& domains) const {
    read(from, care_, domains);
    const auto lies_outside = [&](const DomainSections::Plane& plane) {
      return std::cmp_greater_equal(std::max(plane.across, plane.up), domains.low.size());
    };
    if (domains.high.size() != domains.low.size() ||
        std::ranges::any_of(domains.planes, lies_outside))
      refuse_line("a plane has an axis that the box does not have");
  }

  const json& from_;
  Care care_;
};

void require(const json& line, std::initializer_list<const char*> keys) {
  for (const char* key : keys) static_cast<void>(line.at(key));
}

template <class T>
T record_from(const json& line, Care care) {
  T read;
  Reader::read(line, care, read);
  return read;
}

JournalLine look_from(const json& line, Care care) {
  require(line, {"step", "decision"});
  auto look = record_from<JournalLine>(line, care);
  if (look.taken_at < 0) look.outcome.reset();
  if (care == Care::exact) return look;
  look.step = std::max<std::int64_t>(0, look.step);
  if (!look.outcome) return look;
  for (std::int64_t* count : {&look.outcome->objects_moved, &look.outcome->bytes_moved})
    *count = std::max<std::int64_t>(0, *count);
  return look;
}

}  // namespace

AnyLine line_from(std::string_view text, Care care) {
  const json line = json::parse(text);
  if (!line.is_object()) refuse_line("it is not an object");
  if (line.contains("unfinished")) return JournalUnfinished{line.value("step", std::int64_t{0})};
  if (line.contains("left_out")) return JournalLeftOut{line.value("step", std::int64_t{0})};
  if (line.contains("finished")) {
    require(line, {"step", "state", "account", "summary"});
    return record_from<JournalFinish>(line, care);
  }
  if (line.contains("version")) {
    require(line, {"version", "ranks"});
    return record_from<JournalHeader>(line, care);
  }
  return look_from(line, care);
}

DecisionState state_from(const json& from) { return record_from<DecisionState>(from, Care::exact); }
Totals totals_from(const json& from) { return record_from<Totals>(from, Care::exact); }

}  // namespace evenkeel::tool
