#include "tell/journal.hpp"

#include "decide/state_members.hpp"
#include "tell/json.hpp"
#include "tell/record.hpp"
#include "tell/totals_members.hpp"

#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace evenkeel {

namespace {

using detail::Json;

// Lines "key = value", whose values stay as they are, so that they can be read again.
Json of_options(const std::string& options) {
  Json::Members members;
  std::istringstream lines(options);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find(" = ");
    const bool has_value = equals != std::string::npos;
    members.emplace_back(line.substr(0, equals), has_value ? line.substr(equals + 3) : "");
  }
  return Json::object(members);
}

struct StateMembers {
  Json::Members& members;
  void operator()(const char* key, const Trigger& trigger) const {
    members.emplace_back(key, to_text(trigger));
  }
  template <class Number>
  void operator()(const char* key, const Number& number) const {
    members.emplace_back(key, number);
  }
  template <class Number, std::size_t count>
  void operator()(const char* key, const std::array<Number, count>& numbers) const {
    members.emplace_back(key, Json::array(std::vector<Json>(numbers.begin(), numbers.end())));
  }
};

Json of_state(const State& state) {
  Json::Members members;
  detail::for_each_member(state, StateMembers{members});
  return Json::object(members);
}

Json of_tally(const Tally& tally) { return Json::array({tally.sum, tally.least, tally.greatest}); }

// Of the slots for named kernels; further kernels share the slot `other`.
std::size_t slots_in_use(const JournalLine& line) {
  return std::min<std::size_t>(line.kernels.size(), Totals::named_kernels);
}

struct TotalsMembers {
  Json::Members& members;
  const JournalLine& line;

  void operator()(const char* key, std::int64_t number) const { members.emplace_back(key, number); }
  void operator()(const char* key, std::uint64_t hash) const {
    members.emplace_back(key, Json::hash(hash));
  }
  void operator()(const char* key, const Tally& tally) const {
    members.emplace_back(key, of_tally(tally));
  }
  template <std::size_t count>
  void operator()(const char* key, const std::array<std::int64_t, count>& numbers) const {
    members.emplace_back(key, Json::array(std::vector<Json>(numbers.begin(), numbers.end())));
  }
  // Where ranks do not agree on the names, sums of different kernels may be mixed up.
  void operator()(const char* key,
                  const std::array<Tally, Totals::named_kernels + 1>& kernels) const {
    const bool is_known = line.totals->names_agree();
    members.emplace_back(key, is_known ? of_tallies(kernels, slots_in_use(line)) : Json(nullptr));
    members.emplace_back("other", is_known ? of_tally(kernels[Totals::other]) : Json(nullptr));
  }
  // Up to the last one with a load.
  void operator()(const char* key, const std::array<Tally, kernel_phases>& phases) const {
    std::size_t used = phases.size();
    while (used > 0 && phases[used - 1].sum == 0) --used;
    members.emplace_back(key, of_tallies(phases, used));
  }
  void operator()(const char* key, const Counterfactual& would_be) const {
    Json::Members inside;
    detail::for_each_member(would_be, TotalsMembers{inside, line});
    members.emplace_back(key, Json::object(inside));
  }

 private:
  static Json of_tallies(std::span<const Tally> tallies, std::size_t used) {
    std::vector<Json> values;
    values.reserve(used);
    for (const Tally& tally : tallies.first(used)) values.push_back(of_tally(tally));
    return Json::array(values);
  }
};

Json of_totals(const JournalLine& line) {
  if (!line.totals) return nullptr;
  Json::Members members;
  detail::for_each_member(*line.totals, TotalsMembers{members, line});
  return Json::object(members);
}

// One division, so that 3 ms read as 0.003. Without steps or ranks it is not a number, and written
// as null.
Json seconds_per_step(std::int64_t nanoseconds, const Totals& totals, std::int64_t ranks = 1) {
  const double parts = static_cast<double>(totals.steps) * static_cast<double>(ranks);
  return static_cast<double>(nanoseconds) / (1e9 * parts);
}

// For people and reports; the integers that this is made from are in the totals.
Json of_kernels(const JournalLine& line) {
  if (!line.totals || !line.totals->names_agree()) return nullptr;
  const Totals& totals = *line.totals;
  const auto seconds_of = [&](const Tally& tally) {
    return Json::object({{"min", seconds_per_step(tally.least, totals)},
                         {"avg", seconds_per_step(tally.sum, totals, totals.ranks)},
                         {"max", seconds_per_step(tally.greatest, totals)}});
  };
  Json::Members members;
  for (std::size_t i = 0; i < slots_in_use(line); ++i)
    members.emplace_back(line.kernels[i], seconds_of(totals.kernels[i]));
  const Tally& other = totals.kernels[Totals::other];
  if (other.sum != 0) members.emplace_back("other", seconds_of(other));
  return Json::object(members);
}

std::pair<std::string, Json> of_picture(const JournalLine& line) {
  if (!line.totals || !line.picture) return {"per_rank", nullptr};
  const auto& values = line.picture->values;
  std::vector<Json> shown;
  if (line.totals->ranks > LoadPicture::slots) {
    shown.assign(values.begin(), values.end());
    return {"histogram", Json::array(shown)};
  }
  for (std::size_t rank = 0; std::cmp_less(rank, line.totals->ranks); ++rank)
    shown.push_back(seconds_per_step(values[rank], *line.totals));
  return {"per_rank", Json::array(shown)};
}

Json of_stages(const Outcome& outcome) {
  return Json::object(Json::Members(outcome.stages.begin(), outcome.stages.end()));
}

Json of_phases(const Outcome& outcome) {
  if (outcome.phase_lambdas.empty()) return nullptr;
  const std::vector<Json> lambdas(outcome.phase_lambdas.begin(), outcome.phase_lambdas.end());
  return Json::object(
      {{"lambdas", Json::array(lambdas)}, {"shortfall_percent", outcome.shortfall_percent}});
}

// Null where nothing is learned of types.
Json of_costs(const CostTable& costs) {
  if (costs.empty()) return nullptr;
  std::vector<Json> rows;
  for (const CostRow& row : costs.rows)
    rows.push_back(Json::object({{"set", row.set},
                                 {row.is_feature ? "feature" : "type", row.number},
                                 {"amount", row.amount},
                                 {"seconds", row.seconds},
                                 {"error", row.error}}));
  return Json::object({{"rows", Json::array(rows)},
                       {"fixed_seconds", costs.fixed_seconds},
                       {"noise", costs.noise},
                       {"condition", costs.condition},
                       {"frozen", costs.frozen}});
}

// Neighbours mostly have one owner: [owner, how many cells, next owner, how many, ..].
Json of_owners(const std::vector<int>& owners) {
  std::vector<Json> runs;
  for (std::size_t begin = 0, end = 0; begin < owners.size(); begin = end) {
    while (end < owners.size() && owners[end] == owners[begin]) ++end;
    runs.emplace_back(owners[begin]);
    runs.emplace_back(end - begin);
  }
  return Json::array(runs);
}

Json of_domains(const DomainSections& domains) {
  const auto reals = [](const std::vector<double>& numbers) {
    return Json::array(std::vector<Json>(numbers.begin(), numbers.end()));
  };
  std::vector<Json> planes;
  for (const DomainSection& plane : domains.planes)
    planes.push_back(Json::object({{"axes", Json::array({plane.across, plane.up})},
                                   {"at", plane.at},
                                   {"cells", Json::array({plane.columns, plane.rows})},
                                   {"owners", of_owners(plane.owners)}}));
  return Json::object({{"low", reals(domains.low)},
                       {"high", reals(domains.high)},
                       {"planes", Json::array(planes)}});
}

constexpr double seconds_per_nanosecond = 1e-9;

// Of the last rebalance so far; null where there is none, or no look since.
Json realised_gain_of(const Ledger& ledger) {
  if (ledger.open == 0 || ledger.looks_since == 0) return nullptr;
  return ledger.net_so_far() * seconds_per_nanosecond;
}

// --- What is on record for a replay --------------------------------------------------------------

RecordedLine record_of(const JournalLine& line) {
  RecordedLine record;
  record.step = line.step;
  record.generation = line.before.generation;
  record.before = line.before;
  record.totals = line.totals;
  record.decision = name_of(line.decision.action);
  record.cause = name_of(line.decision.reason);
  record.reason = line.reason;
  if (line.totals) record.predicted_gain = line.decision.predicted_gain * seconds_per_nanosecond;
  if (line.taken_at >= 0) record.taken_at = line.taken_at;
  if (line.outcome) record.kind = line.kind;
  if (line.outcome) record.changed = line.outcome->moved;
  return record;
}

struct RecordMembers {
  Json::Members& members;
  const JournalLine* line = nullptr;  // of totals

  void operator()(const char* key, const Json& value) const { members.emplace_back(key, value); }
  void operator()(const char* key, const State& state) const {
    members.emplace_back(key, of_state(state));
  }
  void operator()(const char* key, const std::optional<Totals>&) const {
    members.emplace_back(key, of_totals(*line));
  }
  void operator()(const char* key, const std::optional<RebalanceKind>& kind) const {
    members.emplace_back(key, kind ? Json(name_of(*kind)) : Json(nullptr));
  }
  template <class Number>
  void operator()(const char* key, const std::optional<Number>& number) const {
    members.emplace_back(key, number ? Json(*number) : Json(nullptr));
  }
};

}  // namespace

std::string to_json(const JournalHeader& header) {
  const RecordedStart start = {EVENKEEL_VERSION, header.ranks, header.state};
  Json::Members members;
  detail::for_each_member(start, RecordMembers{members});
  const std::vector<Json> kernels(header.kernels.begin(), header.kernels.end());
  members.insert(members.end(), {{"options", of_options(header.options)},
                                 {"kernels", Json::array(kernels)},
                                 {"restored", header.restored}});
  if (!header.name.empty()) members.emplace_back("name", header.name);
  return Json::object(members).text();
}

std::string to_json(const JournalLine& line) {
  const auto figure = [&](double (Totals::*of)() const noexcept) -> Json {
    return line.totals ? Json(std::invoke(of, *line.totals)) : Json(nullptr);
  };
  const Outcome outcome = line.outcome.value_or(Outcome{});
  Json::Members members;
  const RecordedLine record = record_of(line);
  detail::for_each_member(record, RecordMembers{members, &line});
  members.insert(members.end(),
                 {{"trigger", to_text(line.before.trigger)},
                  {"kernels", of_kernels(line)},
                  {"coverage", figure(&Totals::coverage)},
                  {"lambda", figure(&Totals::lambda)},
                  {"imbalance_percent", figure(&Totals::imbalance_percent)},
                  {"wasted_seconds", figure(&Totals::wasted_seconds)},
                  {"cost", line.outcome ? Json(outcome.seconds) : Json(nullptr)},
                  {"realised_gain", realised_gain_of(line.before.ledger)},
                  {"lambda_foreseen", outcome.lambda > 0 ? Json(outcome.lambda) : Json(nullptr)},
                  {"phases_foreseen", of_phases(outcome)},
                  {"objects_moved", outcome.objects_moved},
                  {"bytes_moved", outcome.bytes_moved},
                  {"seconds", of_stages(outcome)},
                  {"costs", of_costs(line.costs)},
                  of_picture(line)});
  if (!outcome.domains.planes.empty()) members.emplace_back("domains", of_domains(outcome.domains));
  return Json::object(members).text();
}

std::string finished_line(std::int64_t step, const State& state, const Account& account,
                          const std::string& summary) {
  const Json books = Json::object({{"steps", account.steps},
                                   {"measured_steps", account.measured_steps},
                                   {"mean", account.mean},
                                   {"actual", account.actual},
                                   {"never", account.never},
                                   {"knows_never", account.knows_never},
                                   {"uncertainty", account.uncertainty},
                                   {"own_cost", account.own_cost},
                                   {"rebuild_cost", account.rebuild_cost},
                                   {"advised", account.advised}});
  return Json::object({{"finished", true},
                       {"step", step},
                       {"state", of_state(state)},
                       {"account", books},
                       {"summary", summary}})
      .text();
}

std::string unfinished_line(std::int64_t step) {
  return Json::object({{"unfinished", true}, {"step", step}}).text();
}

namespace {

constexpr std::string_view journal_begin = "{\"version\":";

// Whether a file that begins like this may be a journal: a run may have been killed early.
bool is_of_a_journal(const std::string& beginning) { return journal_begin.starts_with(beginning); }

}  // namespace

// The file is not emptied before its lock is ours. It is opened for appending, so that what another
// run writes on a file system without locks stays whole.
Journal::Journal(const std::string& path, Begin begin) : path_(path) {
  const auto refuse = [&](const std::string& reason, const std::string& remedy) {
    throw Error(ErrorKind::bad_input, Where{"monitor/journal"},
                "The journal " + in_quotes(path) + " cannot be written: " + reason + '.', remedy);
  };
  const int flags = O_RDWR | O_CREAT | O_APPEND | (begin == Begin::anew ? O_EXCL : 0);
  detail::OpenedFile opened = detail::open_regular(path, flags);
  if (!opened)
    refuse(opened.reason,
           begin == Begin::anew
               ? "Name a file that does not exist yet, in a directory that you may write to."
               : "Name a file in a directory that exists and that you may write to.");
  file_ = std::move(opened.file);
  if (flock(file_.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    refuse("another run, or another Balancer of this one, is writing to it",
           "Give each Balancer a file of its own, by its options in code.");
  if (!is_of_a_journal(detail::read_from(file_, 0, journal_begin.size())))
    refuse("it holds something that is no journal", "Name a file that may be lost.");
  if (ftruncate(file_.number(), 0) != 0)
    refuse(detail::reason_of(errno), "Name a file that may be emptied.");
}

// Each line is one write to the system: a run that is killed leaves all that it has written.
void Journal::write(const std::string& line) noexcept {
  if (!file_.is_open()) return;
  try {
    error_number_ = detail::write_whole(file_, line + '\n');
  } catch (...) {
    error_number_ = ENOMEM;
  }
  if (error_number_ == 0) {
    bytes_ += std::ssize(line) + 1;
    return;
  }
  const int cut_back = ftruncate(file_.number(), bytes_);
  static_cast<void>(cut_back);  // or else the last line is cut off
  file_.close();
}

}  // namespace evenkeel
