#include "tell/journal.hpp"

#include "tell/journal_members.hpp"
#include "tell/json.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/text.hpp>

#include <sstream>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace evenkeel {

namespace {

using detail::Json;

// The number of kernels of the line that have their own slot; the others share the slot `other`.
std::size_t slots_in_use(const JournalLine& line) {
  return std::min<std::size_t>(line.kernels.size(), Totals::named_kernels);
}

// A single division rounds only once, so 3 ms is written as 0.003. Without steps or ranks, the
// result is not finite; Json writes it as null.
double seconds_per_step(std::int64_t nanoseconds, const Totals& totals, std::int64_t ranks = 1) {
  const double parts = static_cast<double>(totals.steps) * static_cast<double>(ranks);
  return static_cast<double>(nanoseconds) / (1e9 * parts);
}

class Writer {
 public:
  template <class T>
  static Json object_of(const T& value) {
    Json::Members members;
    detail::for_each_member(value, Writer(members));
    return Json::object(members);
  }

  template <class T>
  void operator()(const char* key, const T& value, bool is_known = true) const {
    members_.emplace_back(key, is_known ? of(value) : Json(nullptr));
  }
  // Writes the phases up to the last one with a load.
  void operator()(const char* key, const std::array<RankTally, kernel_phases>& phases) const {
    std::size_t used = phases.size();
    while (used > 0 && phases[used - 1].sum == 0) --used;
    members_.emplace_back(key, list_of(std::span(phases).first(used)));
  }
  // If ranks do not agree on the names, a sum may mix different kernels, so writes null.
  void operator()(const char* key,
                  const std::array<RankTally, Totals::named_kernels + 1>& kernels) const {
    const bool is_known = line_->totals->names_agree();
    (*this)(key, list_of(std::span(kernels).first(slots_in_use(*line_))), is_known);
    (*this)("other", kernels[Totals::other], is_known);
  }
  template <class T>
  void shown(const char* key, const T& value) const {
    (*this)(key, value);
  }
  void unless_empty(const char* key, const std::string& text) const {
    if (!text.empty()) (*this)(key, text);
  }
  void unless_empty(const char* key, const std::optional<std::int64_t>& step) const {
    if (step) (*this)(key, *step);
  }
  void unless_empty(const char* key, const DomainSections& domains) const {
    if (!domains.planes.empty()) (*this)(key, domains);
  }
  void unless_empty(const char* key, const Metrics::SlowRank& slow) const {
    if (slow) (*this)(key, slow);
  }
  void unless_empty(const char* key, const MemoryTotals& memory) const {
    if (memory.fullest.is_known()) (*this)(key, memory);
  }

  void either(const char* one, const char* other, bool is_other, int number) const {
    (*this)(is_other ? other : one, number);
  }
  void pair(const char* key, int first, int second) const {
    (*this)(key, Json::array({first, second}));
  }
  // Neighbours mostly have the same owner, so this writes runs of cells: [owner, number of cells,
  // next owner, number of cells, ...].
  void runs(const char* key, const std::vector<int>& owners) const {
    std::vector<Json> runs;
    for (std::size_t begin = 0, end = 0; begin < owners.size(); begin = end) {
      while (end < owners.size() && owners[end] == owners[begin]) ++end;
      runs.emplace_back(owners[begin]);
      runs.emplace_back(end - begin);
    }
    (*this)(key, Json::array(runs));
  }
  void options(const char* key, const std::string& options) const {
    const auto entries = entries_of(options);
    (*this)(key, Json::object({entries.begin(), entries.end()}));
  }
  void seconds(const char* key, double nanoseconds, bool is_known) const {
    (*this)(key, nanoseconds * 1e-9, is_known);
  }
  static const Outcome& part(const std::optional<Outcome>& outcome) {
    static const Outcome none;
    return outcome ? *outcome : none;
  }
  void totals(const char* key, const JournalLine& line) const {
    Json::Members members;
    if (line.totals) detail::for_each_member(*line.totals, Writer(members, &line));
    (*this)(key, Json::object(members), line.totals.has_value());
  }
  void kernels(const char* key, const JournalLine& line) const {
    const auto kernels = kernel_seconds(line);
    Json::Members members;
    for (const auto& [name, least, average, greatest] : kernels.value_or(Kernels()))
      members.emplace_back(name,
                           Json::object({{"min", least}, {"avg", average}, {"max", greatest}}));
    (*this)(key, Json::object(members), kernels.has_value());
  }
  void phases(const char* key, const Outcome& outcome) const {
    (*this)(key,
            Json::object({{"lambdas", of(outcome.phase_lambdas)},
                          {"shortfall_percent", outcome.shortfall_percent}}),
            !outcome.phase_lambdas.empty());
  }
  void ranks(const char* key, const JournalLine& line) const {
    if (const auto shares = rank_shares(line); !shares.empty())
      (*this)("histogram", list_of(shares));
    else
      (*this)(key, rank_seconds(line), line.totals && line.picture);
  }

 private:
  using Kernels = std::vector<KernelSeconds>;

  explicit Writer(Json::Members& members, const JournalLine* line = nullptr)
      : members_(members), line_(line) {}

  template <class T>
  static Json of(const T& value) {
    if constexpr (std::constructible_from<Json, const T&>)
      return value;
    else if constexpr (requires { name_of(value); })
      return name_of(value);
    else if constexpr (requires { std::begin(value); })
      return list_of(std::span(value));
    else
      return object_of(value);
  }
  static Json of(std::uint64_t hash) { return Json::hash(hash); }
  static Json of(const RankTally& tally) {
    return Json::array({tally.sum, tally.least, tally.greatest});
  }
  static Json of(const Trigger& trigger) { return to_text(trigger); }
  static Json of(const std::optional<double>& number) {
    return number ? Json(*number) : Json(nullptr);
  }
  static Json of(const std::vector<std::pair<std::string, double>>& stages) {
    return Json::object({stages.begin(), stages.end()});
  }
  template <class T, std::size_t count>
  static Json list_of(std::span<const T, count> values) {
    std::vector<Json> list;
    list.reserve(values.size());
    for (const T& value : values) list.push_back(of(value));
    return Json::array(list);
  }

  Json::Members& members_;
  const JournalLine* line_;  // the line whose totals are written; null for other objects
};

constexpr std::string_view journal_begin = "{\"version\":";

// True if a file with this beginning may be a journal. A run that was killed early may have left
// only a part of the first characters.
bool is_of_a_journal(const std::string& beginning) { return journal_begin.starts_with(beginning); }

}  // namespace

std::optional<std::vector<KernelSeconds>> kernel_seconds(const JournalLine& line) {
  if (!line.totals || !line.totals->names_agree()) return std::nullopt;
  const Totals& totals = *line.totals;
  std::vector<KernelSeconds> kernels;
  const auto add = [&](const std::string& name, const RankTally& tally) {
    kernels.push_back({name, seconds_per_step(tally.least, totals),
                       seconds_per_step(tally.sum, totals, totals.ranks),
                       seconds_per_step(tally.greatest, totals)});
  };
  for (std::size_t i = 0; i < slots_in_use(line); ++i) add(line.kernels[i], totals.kernels[i]);
  if (totals.kernels[Totals::other].sum != 0) add("other", totals.kernels[Totals::other]);
  return kernels;
}

std::vector<double> rank_seconds(const JournalLine& line) {
  if (!line.totals || !line.picture || line.totals->ranks > LoadPicture::slots) return {};
  std::vector<double> seconds;
  for (std::size_t rank = 0; std::cmp_less(rank, line.totals->ranks); ++rank)
    seconds.push_back(seconds_per_step(line.picture->values[rank], *line.totals));
  return seconds;
}

std::span<const std::int64_t> rank_shares(const JournalLine& line) noexcept {
  if (!line.totals || !line.picture || line.totals->ranks <= LoadPicture::slots) return {};
  return line.picture->values;
}

std::vector<std::pair<std::string, std::string>> entries_of(const std::string& options) {
  std::vector<std::pair<std::string, std::string>> entries;
  std::istringstream lines(options);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find(" = ");
    const bool has_value = equals != std::string::npos;
    entries.emplace_back(line.substr(0, equals), has_value ? line.substr(equals + 3) : "");
  }
  return entries;
}

std::string to_json(const JournalHeader& header) { return Writer::object_of(header).text(); }
std::string to_json(const JournalLine& line) { return Writer::object_of(line).text(); }
std::string to_json(const JournalFinish& finish) { return Writer::object_of(finish).text(); }

std::string unfinished_line(std::int64_t step) {
  return Json::object({{"unfinished", true}, {"step", step}}).text();
}

std::string left_out_line(std::int64_t step) {
  return Json::object({{"left_out", true}, {"step", step}}).text();
}

// The file is not emptied before this journal has its lock. It is opened for appending, so that the
// lines of another run stay whole on a file system without locks.
Journal::Journal(const std::string& path, OpenMode begin) : path_(path) {
  const auto refuse = [&](const std::string& reason, const std::string& remedy) {
    throw Error(ErrorKind::bad_input, Where{"monitor/journal"},
                "The journal " + in_quotes(path) + " cannot be written: " + reason + '.', remedy);
  };
  const int flags = O_RDWR | O_CREAT | O_APPEND | (begin == OpenMode::anew ? O_EXCL : 0);
  detail::OpenedFile opened = detail::open_regular(path, flags);
  if (!opened)
    refuse(opened.reason,
           begin == OpenMode::anew
               ? "Name a file that does not exist yet, in a directory that you may write to."
               : "Name a file in a directory that exists and that you may write to.");
  file_ = std::move(opened.file);
  if (flock(file_.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    refuse("another run, or another Balancer of this one, is writing to it",
           "Give each Balancer a file of its own, by its options in code.");
  if (!is_of_a_journal(detail::read_from(file_, 0, journal_begin.size())))
    refuse("it holds data that is not a journal",
           "Name a new file, or a journal that may be overwritten.");
  if (ftruncate(file_.number(), 0) != 0)
    refuse(detail::reason_of(errno), "Name a file that may be emptied.");
}

// Each line is given to the system at once, so if a run is killed, all earlier lines are in the
// file.
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
  static_cast<void>(cut_back);  // if this fails, the last line is incomplete
  file_.close();
}

}  // namespace evenkeel
