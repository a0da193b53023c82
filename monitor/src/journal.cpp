#include <evenkeel/monitor/journal.hpp>

#include "json.hpp"
#include "state_members.hpp"

#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/error.hpp>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <sstream>
#include <system_error>
#include <utility>

#include <sys/file.h>
#include <unistd.h>

namespace evenkeel {

namespace {

using detail::Json;

// As to_text writes them, so that from_text reads them again.
Json of_options(const Options& options) {
  Json::Members members;
  std::istringstream lines(to_text(options));
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

// Up to the last one with a load.
Json of_phases(const Totals& totals) {
  std::size_t used = totals.phases.size();
  while (used > 0 && totals.phases[used - 1].sum == 0) --used;
  std::vector<Json> phases;
  phases.reserve(used);
  for (std::size_t i = 0; i < used; ++i) phases.push_back(of_tally(totals.phases[i]));
  return Json::array(phases);
}

template <std::size_t count>
Json of_numbers(const std::array<std::int64_t, count>& numbers) {
  return Json::array(std::vector<Json>(numbers.begin(), numbers.end()));
}

Json of_counterfactual(const Counterfactual& would_be) {
  return Json::object({{"first", would_be.first},
                       {"previous", would_be.previous},
                       {"first_again", would_be.first_again},
                       {"previous_again", would_be.previous_again},
                       {"fresh", would_be.fresh},
                       {"as_weighed", would_be.as_weighed},
                       {"advised", would_be.advised},
                       {"earlier", of_numbers(would_be.earlier)},
                       {"age", of_numbers(would_be.age)}});
}

// The slots behind them hold no kernel, and the others share the last one.
std::size_t slots_in_use(const JournalLine& line) {
  return std::min<std::size_t>(line.kernels.size(), Totals::named_kernels);
}

Json of_totals(const JournalLine& line) {
  if (!line.totals) return nullptr;
  const Totals& totals = *line.totals;
  Json kernels = nullptr, other = nullptr;
  if (totals.names_agree()) {
    std::vector<Json> slots;
    for (std::size_t i = 0; i < slots_in_use(line); ++i)
      slots.push_back(of_tally(totals.kernels[i]));
    kernels = Json::array(slots);
    other = of_tally(totals.kernels[Totals::other]);
  }
  return Json::object({{"step_least", totals.step_least},
                       {"step_greatest", totals.step_greatest},
                       {"generation_least", totals.generation_least},
                       {"generation_greatest", totals.generation_greatest},
                       {"names_least", Json::hash(totals.names_least)},
                       {"names_greatest", Json::hash(totals.names_greatest)},
                       {"ranks", totals.ranks},
                       {"unfit", totals.unfit},
                       {"steps", totals.steps},
                       {"load", of_tally(totals.load)},
                       {"duration", of_tally(totals.duration)},
                       {"objects", of_tally(totals.objects)},
                       {"cost", totals.cost},
                       {"rebuild", totals.rebuild},
                       {"extra", totals.extra},
                       {"bytes", totals.bytes},
                       {"command", totals.command},
                       {"survey", totals.survey},
                       {"unit", totals.unit},
                       {"spread", totals.spread},
                       {"variance", totals.variance},
                       {"kernels", kernels},
                       {"other", other},
                       {"phases", of_phases(totals)},
                       {"all_steps", totals.all_steps},
                       {"all_load", totals.all_load},
                       {"slots", of_numbers(totals.slots)},
                       {"other_slots", of_numbers(totals.other_slots)},
                       {"would_be", of_counterfactual(totals.would_be)}});
}

// One division, so that 3 ms read as 0.003. Without steps or ranks this is no number, and null.
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

constexpr double seconds_per_nanosecond = 1e-9;

Json predicted_gain_of(const JournalLine& line) {
  if (!line.totals) return nullptr;
  return line.decision.predicted_gain * seconds_per_nanosecond;
}

// Of the last rebalance so far; null where there is none, or no look since.
Json realised_gain_of(const Ledger& ledger) {
  if (ledger.open == 0 || ledger.looks_since == 0) return nullptr;
  return ledger.net_so_far() * seconds_per_nanosecond;
}

}  // namespace

std::string to_json(const JournalHeader& header) {
  return Json::object({{"version", EVENKEEL_VERSION},
                       {"options", of_options(header.options)},
                       {"ranks", header.ranks},
                       {"kernels", Json::array(std::vector<Json>(header.kernels.begin(),
                                                                 header.kernels.end()))},
                       {"state", of_state(header.state)},
                       {"restored", header.restored}})
      .text();
}

std::string to_json(const JournalLine& line) {
  const auto figure = [&](double (Totals::*of)() const noexcept) -> Json {
    return line.totals ? Json(std::invoke(of, *line.totals)) : Json(nullptr);
  };
  const Outcome outcome = line.outcome.value_or(Outcome{});
  return Json::object(
             {{"step", line.step},
              {"generation", line.before.generation},
              {"totals", of_totals(line)},
              {"state", of_state(line.before)},
              {"kernels", of_kernels(line)},
              {"coverage", figure(&Totals::coverage)},
              {"lambda", figure(&Totals::lambda)},
              {"imbalance_percent", figure(&Totals::imbalance_percent)},
              {"wasted_seconds", figure(&Totals::wasted_seconds)},
              {"trigger", to_text(line.before.trigger)},
              {"decision", name_of(line.decision.action)},
              {"cause", name_of(line.decision.reason)},
              {"reason", line.reason},
              {"predicted_gain", predicted_gain_of(line)},
              {"cost", line.outcome ? Json(outcome.seconds) : Json(nullptr)},
              {"realised_gain", realised_gain_of(line.before.ledger)},
              {"kind", line.outcome ? Json(name_of(line.kind)) : Json(nullptr)},
              {"taken_at", line.taken_at >= 0 ? Json(line.taken_at) : Json(nullptr)},
              {"lambda_foreseen", outcome.lambda > 0 ? Json(outcome.lambda) : Json(nullptr)},
              {"objects_moved", outcome.objects_moved},
              {"bytes_moved", outcome.bytes_moved},
              {"seconds", of_stages(outcome)},
              of_picture(line)})
      .text();
}

Journal::Journal(const std::string& path) {
  const auto refuse = [&](const std::string& reason, const std::string& remedy) {
    throw Error(ErrorKind::bad_input, Where{"monitor/journal"},
                "The journal '" + path + "' cannot be written: " + reason + '.', remedy);
  };
  // Not emptied before it is known to be ours. Appending: what another holder of a file system
  // without locks adds stays whole.
  file_.reset(std::fopen(path.c_str(), "ab"));
  if (file_ == nullptr)
    refuse(std::error_code(errno, std::generic_category()).message(),
           "Name a file in a directory that exists and that you may write to.");
  const int descriptor = fileno(file_.get());
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    refuse("another run, or another Balancer of this one, is writing to it",
           "Give each Balancer a file of its own, by its options in code.");
  const int emptied = ftruncate(descriptor, 0);
  static_cast<void>(emptied);  // what is no plain file, such as a pipe, has nothing to empty
}

// Flushed line by line: a run that is killed leaves all that it has written.
void Journal::write(const std::string& line) noexcept {
  if (file_ == nullptr) return;
  const bool written = std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size() &&
                       std::fputc('\n', file_.get()) != EOF && std::fflush(file_.get()) == 0;
  if (!written) file_.reset();
}

void Journal::Close::operator()(std::FILE* file) const noexcept {
  static_cast<void>(std::fclose(file));
}

}  // namespace evenkeel
