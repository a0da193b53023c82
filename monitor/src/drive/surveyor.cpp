#include "drive/surveyor.hpp"

#include "drive/place_options.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/domains/owner.hpp>
#include <evenkeel/core/field/raw.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/measured_box.hpp>
#include <evenkeel/core/order.hpp>
#include <evenkeel/core/place.hpp>
#include <evenkeel/core/weights/extract.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "monitor/surveyor";
constexpr const char* label = "evenkeel::surveyor::objects";
constexpr std::int64_t most_sampled = 1024;  // objects of a rank
constexpr std::int64_t second_half = std::int64_t{1} << 32;
constexpr std::int64_t unknown_rank = second_half - 1;  // at first
constexpr double most_strays =
    0.02;  // share of the load; above it, places do not show who has what

[[noreturn]] void refuse_dimensions() {
  throw Error(ErrorKind::bad_input, Where{stage_name},
              "Some sets are in 2 and some in 3 dimensions.", "Give them Balancers of their own.");
}

// Errors are the same on all ranks, but for those of MPI: other ranks know nothing of such a one.
void require_shared(const Error& error) {
  if (error.kind() == ErrorKind::communication && error.rank() == Error::no_rank)
    throw Error(error);
}

// Records with the present rank, and the rank at first of older records.
struct WriteRecord {
  std::int64_t now;
  const std::int64_t* older;
  std::int64_t* records;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    records[i] = now + older[i] % second_half;
  }
};

// What is noted of objects, in their new order.
template <class Note>
struct TakeOver {
  const std::int64_t* places;
  const Note* before;
  Note of_new;
  Note* notes;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    notes[i] = places[i] < 0 ? of_new : before[places[i]];
  }
};

template <class Note>
void take_over(const exec::Array<std::int64_t>& places, Note of_new, exec::Array<Note>& notes) {
  const Space space = notes.space();
  const exec::Reached<std::int64_t> there(space, label, places);
  exec::Array<Note> moved(space, label, places.size());
  exec::for_each(space, label, places.size(),
                 TakeOver<Note>{there.data(), notes.data(), of_new, moved.data()});
  space.fence(label);
  notes = std::move(moved);
}

}  // namespace

// What each rank states about its objects, for all to agree.
struct Surveyor::Statement {
  Bounds bounds;
  int least_dimensions = 3;  // of ranks that know
  std::int64_t objects = 0;
  // Not 0 if some rank has
  std::int64_t off_record = 0;     // objects without a record,
  std::int64_t first_unknown = 0;  // objects whose rank at first is not known,
  std::int64_t off_advice = 0;     // objects without a note of their advised rank,
  std::int64_t unweighed = 0;      // a set without weights
  double greatest_weight = 0;      // over ranks, of the sum of weights

  bool can_be_cut() const noexcept { return objects > 0 && least_dimensions == bounds.dimensions; }

  static void add(Statement& into, const Statement& from) noexcept {
    into.bounds.dimensions = std::max(into.bounds.dimensions, from.bounds.dimensions);
    for (std::size_t d = 0; d < 3; ++d) {
      into.bounds.lower[d] = std::min(into.bounds.lower[d], from.bounds.lower[d]);
      into.bounds.upper[d] = std::max(into.bounds.upper[d], from.bounds.upper[d]);
    }
    into.least_dimensions = std::min(into.least_dimensions, from.least_dimensions);
    into.objects += from.objects;
    into.off_record += from.off_record;
    into.first_unknown += from.first_unknown;
    into.off_advice += from.off_advice;
    into.unweighed += from.unweighed;
    into.greatest_weight = std::max(into.greatest_weight, from.greatest_weight);
  }
};

// Some objects of this rank, of all sets; on the host.
struct Surveyor::Pool {
  std::vector<double> places;         // coordinates, object by object
  std::vector<double> costs;          // nanoseconds
  std::vector<std::int64_t> records;  // of each object; empty: none
  std::vector<int> advised;           // the noted rank of each object; empty: none
  double weight = 0;                  // of all objects of this rank, as given
  bool is_recorded = true, is_noted = true, is_weighed = true;
  int dimensions = 0;

  std::int64_t count() const noexcept { return std::ssize(costs); }

  // Refers to `field`, and that to the coordinates.
  Set as_set() {
    field = raw_field(places.data(), {.count = count(), .components = std::max(2, dimensions)});
    return set(field);
  }
  RawField<double> field = {};

  void scale(double load) {
    const double sum = std::accumulate(costs.begin(), costs.end(), 0.0);
    if (sum > 0)
      for (double& cost : costs) cost *= load / sum;
    else
      std::fill(costs.begin(), costs.end(),
                load / static_cast<double>(std::max<std::size_t>(1, costs.size())));
  }

  Statement statement() const {
    Statement mine;
    mine.objects = count();
    mine.off_record = is_recorded ? 0 : 1;
    mine.off_advice = is_noted ? 0 : 1;
    mine.unweighed = is_weighed ? 0 : 1;
    mine.greatest_weight = weight;
    for (const std::int64_t record : records)
      if (static_cast<std::int32_t>(record % second_half) < 0) mine.first_unknown = 1;
    mine.bounds.dimensions = dimensions;
    if (dimensions > 0) mine.least_dimensions = dimensions;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::size_t d = i % static_cast<std::size_t>(dimensions);
      if (!std::isfinite(places[i]))
        throw Error(ErrorKind::bad_input, Where{stage_name}, "A position is not finite.",
                    "Give finite positions.");
      mine.bounds.lower[d] = std::min(mine.bounds.lower[d], places[i]);
      mine.bounds.upper[d] = std::max(mine.bounds.upper[d], places[i]);
    }
    return mine;
  }
};

namespace {

// Finds ranks under many domains. Most of these are ranges of one curve, and share its keys.
class KeysAlong {
 public:
  KeysAlong(const Space& space, const Set& set) : space_(space), set_(set) {}

  void write_ranks(const Domains& domains, int* ranks) {
    const auto* curve = std::get_if<CurveDomains>(&domains);
    if (curve == nullptr) return evenkeel::write_ranks(space_, domains, set_, ranks);
    const auto count = static_cast<std::size_t>(set_.count());
    const bool same = curve_ != nullptr && curve_->box() == curve->box() &&
                      curve_->curve() == curve->curve() && curve_->periodic() == curve->periodic();
    if (!same) {
      keys_.resize(count);
      write_keys(space_, lattice_of(*curve), set_, keys_.data());
      curve_ = curve;
    }
    write_owners(space_, curve->splitters(), keys_.data(), set_.count(), ranks);
    if (curve->rank_of_part().empty()) return;
    for (std::size_t i = 0; i < count; ++i) ranks[i] = curve->rank_of(ranks[i]);
  }

 private:
  const Space& space_;
  const Set& set_;
  std::vector<CurveKey> keys_;
  const CurveDomains* curve_ = nullptr;  // the curve of keys_
};

}  // namespace

// Nanoseconds of each rank under several domains; each of these has a row.
class Surveyor::Sums {
 public:
  enum Row : std::size_t {
    first,
    previous,
    first_again,
    previous_again,
    fresh,
    advised,
    as_weighed,
    earlier
  };
  static constexpr std::size_t rows = earlier + Counterfactual::earlier_cuts;

  explicit Sums(int ranks)
      : ranks_(static_cast<std::size_t>(ranks)), values_(rows * ranks_ + 2), known_(rows, false) {}

  void add(std::size_t row, std::span<const int> ranks, std::span<const double> costs) {
    known_[row] = true;
    for (std::size_t i = 0; i < ranks.size(); ++i)
      values_[row * ranks_ + static_cast<std::size_t>(ranks[i])] += std::llround(costs[i]);
  }
  // The weight of a rank, as a share of the greatest weight of any rank.
  void add_weight(int rank, double share) {
    constexpr double parts = 0x1p40;
    known_[as_weighed] = true;
    values_[as_weighed * ranks_ + static_cast<std::size_t>(rank)] = std::llround(share * parts);
  }
  void add_strays(double cost) { strays() += std::llround(cost); }
  // The cost of this rank's objects, spread evenly over all ranks.
  void add_evenly(std::size_t row, std::span<const double> costs) {
    known_[row] = true;
    const double sum = std::accumulate(costs.begin(), costs.end(), 0.0);
    for (std::size_t rank = 0; rank < ranks_; ++rank)
      values_[row * ranks_ + rank] += std::llround(sum / static_cast<double>(ranks_));
  }
  void fail() noexcept { values_.back() = 1; }

  // Collective. Adds up the sums of all ranks; false if a rank has failed.
  bool reduce(const Communicator& communicator) {
    communicator.all_reduce(std::span<std::int64_t>(values_), Reduction::sum);
    return values_.back() == 0;
  }

  std::int64_t greatest(std::size_t row) const {
    const std::int64_t* const begin = values_.data() + row * ranks_;
    return known_[row] ? *std::max_element(begin, begin + ranks_) : Counterfactual::unknown;
  }
  std::int64_t of(std::size_t row, int rank) const {
    return known_[row] ? values_[row * ranks_ + static_cast<std::size_t>(rank)]
                       : Counterfactual::unknown;
  }
  // Nanoseconds of the rank whose objects weigh most.
  std::int64_t greatest_as_weighed() const {
    const double weight = sum_of(as_weighed);
    return known_[as_weighed] && weight > 0
               ? std::llround(static_cast<double>(greatest(as_weighed)) / weight * sum_of(fresh))
               : Counterfactual::unknown;
  }
  double share_of_strays() const {
    const double all = sum_of(fresh);
    return all > 0 ? static_cast<double>(values_[rows * ranks_]) / all : 0;
  }

 private:
  double sum_of(std::size_t row) const {
    const std::int64_t* const begin = values_.data() + row * ranks_;
    return static_cast<double>(std::accumulate(begin, begin + ranks_, std::int64_t{0}));
  }
  std::int64_t& strays() { return values_[rows * ranks_]; }

  std::size_t ranks_;
  std::vector<std::int64_t> values_;  // by row and rank; then strays; then failures
  std::vector<bool> known_;           // on all ranks alike
};

void Surveyor::add_records(std::size_t set, std::int64_t objects,
                           std::span<const std::int64_t> chosen, Pool& pool) const {
  const bool fits = set < records_.size() && records_[set].size() == objects;
  pool.is_recorded = pool.is_recorded && fits;
  if (!fits) return;
  const auto records = exec::picked(records_[set], label, chosen);
  pool.records.insert(pool.records.end(), records.begin(), records.end());
}

Surveyor::Pool Surveyor::pool_of(const Question& question) const {
  Pool pool;
  for (std::size_t s = 0; s < question.sets.size(); ++s) {
    const Set& set = question.sets[s];
    check(set);
    const Space space = Space::where(set.position().memory);
    const std::int64_t objects = set.count();
    const bool is_learned = s < question.costs.size() && question.costs[s].size() == objects;
    const Extract extract = set.options().weight.given()
                                ? extract_by_weight(space, set, most_sampled)
                            : is_learned ? extract_of(question.costs[s], most_sampled)
                                         : extract_of(objects, {}, most_sampled);
    const std::vector<double> places = places_of(space, set, extract.objects);
    const int dimensions = objects > 0 ? set.position().components : 0;
    if (pool.dimensions > 0 && dimensions > 0 && dimensions != pool.dimensions) refuse_dimensions();
    pool.dimensions = std::max(pool.dimensions, dimensions);
    pool.places.insert(pool.places.end(), places.begin(), places.end());
    pool.costs.insert(pool.costs.end(), extract.weights.begin(), extract.weights.end());
    pool.is_weighed = pool.is_weighed && set.options().weight.given();
    pool.weight += std::accumulate(extract.weights.begin(), extract.weights.end(), 0.0);
    if (question.has_moved) add_records(s, objects, extract.objects, pool);
    const bool is_noted = s < advised_ranks_.size() && advised_ranks_[s].size() == objects;
    pool.is_noted = pool.is_noted && is_noted;
    if (!is_noted) continue;
    const auto advised = exec::picked(advised_ranks_[s], label, extract.objects);
    pool.advised.insert(pool.advised.end(), advised.begin(), advised.end());
  }
  pool.scale(static_cast<double>(question.load));
  return pool;
}

// The rank that would have each object.
std::vector<exec::Array<int>> Surveyor::ranks_under(const Domains& domains,
                                                    const Question& question) const {
  std::vector<exec::Array<int>> ranks;
  for (const Set& set : question.sets) {
    check(set);
    const Space space = Space::where(set.position().memory);
    exec::Array<int>& of_set = ranks.emplace_back(space, label, set.count());
    if (!of_set.empty()) write_ranks(space, domains, set, of_set.data());
  }
  return ranks;
}

const Box& Surveyor::box_for(const Question& question, std::span<const Set> sample,
                             const Bounds& found) {
  if (question.options.box) return *question.options.box;
  if (parts_of(question.domains) > 0) return box_of(question.domains);
  if (!box_) box_ = measure_box(communicator_, sample, std::nullopt, found).box;
  return *box_;
}

// Collective. A failure on one rank alone (memory, say) is reported in the vote that begins a cut.
Domains Surveyor::cut_anew(const Question& question, Pool& pool, const Statement& all) {
  pool.dimensions = all.bounds.dimensions;
  std::vector<Set> sets;
  const std::span<const double> weights = pool.costs;
  const Status ready = attempt(stage_name, [&] { sets.push_back(pool.as_set()); });
  const Box& box = box_for(question, sets, all.bounds);
  const PreparedToCut prepared =
      prepare_to_cut(ready, sets, {pool.dimensions, box}, place_options_of(question.options));
  const FreshGoal goal = {.target_lambda = question.options.target_lambda,
                          .objects = all.objects,
                          .generation = generation_of(question.domains)};
  return evenkeel::cut_anew(communicator_, Status(), prepared, Weights(&weights, 1), goal,
                            question.domains)
      .domains;
}

void Surveyor::evaluate(const Question& question, Pool& pool, OnRecord known, const Domains* fresh,
                        Sums& sums) const {
  const Set set = pool.as_set();
  const Space space = Space::where(MemoryKind::host);
  std::vector<int> ranks(static_cast<std::size_t>(pool.count()));
  KeysAlong keys(space, set);
  const auto add = [&](std::size_t row, const Domains* domains) {
    if (domains == nullptr || parts_of(*domains) == 0 || !own_places(*domains)) return;
    keys.write_ranks(*domains, ranks.data());
    sums.add(row, ranks, pool.costs);
  };
  const auto add_recorded = [&](std::size_t row, std::int64_t divisor) {
    std::transform(
        pool.records.begin(), pool.records.end(), ranks.begin(),
        [=](std::int64_t record) { return static_cast<int>(record / divisor % second_half); });
    sums.add(row, ranks, pool.costs);
  };
  if (parts_of(question.domains) > 0 && own_places(question.domains)) {
    keys.write_ranks(question.domains, ranks.data());
    for (std::size_t i = 0; i < ranks.size(); ++i)
      if (ranks[i] != communicator_.rank()) sums.add_strays(pool.costs[i]);
  }
  add(Sums::fresh, fresh);
  if (known.advice && advised_ != nullptr)
    sums.add(Sums::advised, pool.advised, pool.costs);
  else
    add(Sums::advised, advised_.get());
  if (question.has_moved) {
    add(Sums::first_again, first_.domains.get());
    add(Sums::previous_again, previous_.domains.get());
    if (known.ranks) {
      add_recorded(Sums::first, 1);
      add_recorded(Sums::previous, second_half);
    }
  }
  std::size_t row = Sums::earlier;
  for (const auto& entry : earlier_.entries()) add(row++, entry.cut.get());
}

Survey Surveyor::survey(const Question& question) {
  const exec::Region shown("evenkeel::survey");
  const std::int64_t began = question.now();
  const int ranks = communicator_.size();
  load_ = question.load;
  Survey found;
  try {
    Pool pool;
    std::optional<Sums> sums;
    Statement mine;
    const Status taken = attempt(stage_name, [&] {
      pool = pool_of(question);
      sums.emplace(ranks);
      mine = pool.statement();
    });
    const std::int64_t alone = question.now() - began;
    const Statement all = vote<&Statement::add>(communicator_, taken, mine);
    const std::int64_t together = question.now();  // waiting for the slowest is no cost
    if (!all.can_be_cut()) return found;
    const bool by_graph = places_by_graph(question.options.method);
    const std::optional<Domains> fresh =
        by_graph ? std::nullopt : std::optional(cut_anew(question, pool, all));
    const bool is_on_record = all.off_record == 0 && all.first_unknown == 0;
    const OnRecord known = {is_on_record, all.off_advice == 0};
    if (all.unweighed == 0 && all.greatest_weight > 0)
      sums->add_weight(communicator_.rank(), pool.weight / all.greatest_weight);
    std::shared_ptr<const Domains> latest;
    const Status evaluated = attempt(stage_name, [&] {
      if (fresh)
        latest = std::make_shared<const Domains>(*fresh);
      else
        sums->add_evenly(Sums::fresh, pool.costs);
      evaluate(question, pool, known, latest.get(), *sums);
    });
    if (!evaluated.ok()) sums->fail();
    if (!sums->reduce(communicator_)) return found;
    latest_ = std::move(latest);
    tell(question, *sums, is_on_record, found);
    if (latest_ != nullptr) earlier_.add(question.step, latest_);
    found.took = alone + question.now() - together;
  } catch (const Error& error) {
    require_shared(error);
    return {};
  }
  return found;
}

void Surveyor::advise(Question question) {
  const exec::Region shown("evenkeel::survey");
  question.load = load_;
  advised_ = latest_;
  advised_ranks_.clear();
  if (places_by_graph(question.options.method)) return;  // nobody knows whose objects would be
  try {
    Pool pool;
    Statement mine;
    const Status taken = attempt(stage_name, [&] {
      pool = pool_of(question);
      mine = pool.statement();
    });
    const Statement all = vote<&Statement::add>(communicator_, taken, mine);
    if (!all.can_be_cut()) return;
    const Domains fresh = cut_anew(question, pool, all);
    std::shared_ptr<const Domains> advised;
    std::vector<exec::Array<int>> ranks;
    vote(communicator_, attempt(stage_name, [&] {
           advised = std::make_shared<const Domains>(fresh);
           ranks = ranks_under(fresh, question);
         }));
    advised_ = std::move(advised);
    advised_ranks_ = std::move(ranks);
  } catch (const Error& error) {  // from now on places alone count
    require_shared(error);
  }
}

// Under domains that would have stayed all the time, places show who would have what only if they
// do so under the present domains.
void Surveyor::tell(const Question& question, const Sums& sums, bool is_on_record,
                    Survey& into) const {
  Counterfactual& would_be = into.would_be;
  const bool by_place = sums.share_of_strays() <= most_strays;
  const auto known = [&](std::size_t row, std::size_t again) {
    return is_on_record ? row : by_place ? again : Sums::rows;
  };
  const auto of_cut = [&](std::size_t row) {
    const std::int64_t greatest = sums.greatest(row);
    return greatest < 0 ? greatest
                        : std::llround(static_cast<double>(greatest) * question.best_lambda);
  };
  would_be.fresh = of_cut(Sums::fresh);
  would_be.as_weighed = sums.greatest_as_weighed();
  would_be.first_again = sums.greatest(Sums::first_again);
  would_be.previous_again = sums.greatest(Sums::previous_again);
  would_be.advised = sums.greatest(Sums::advised);
  const std::size_t first = known(Sums::first, Sums::first_again);
  const std::size_t previous = known(Sums::previous, Sums::previous_again);
  if (first < Sums::rows) would_be.first = sums.greatest(first);
  if (previous < Sums::rows) would_be.previous = sums.greatest(previous);
  into.mine_otherwise = sums.of(
      question.has_moved ? std::min(first, Sums::rows - 1) : Sums::advised, communicator_.rank());
  if (question.has_moved && first == Sums::rows) into.mine_otherwise = Counterfactual::unknown;
  if (!by_place) return;
  std::size_t i = 0;
  for (const auto& entry : earlier_.entries()) {
    would_be.earlier[i] = of_cut(Sums::earlier + i);
    would_be.age[i++] = question.step - entry.step;
  }
}

// --- Around a rebalance --------------------------------------------------------------------------

void Surveyor::begin_rebalance(std::shared_ptr<const Domains> domains, std::size_t sets,
                               bool is_start) {
  is_start_ = is_start;
  now_ = {generation_of(*domains), std::move(domains)};
  travelling_.clear();
  travelling_.resize(is_start ? 0 : sets);
}

// The present rank of the objects becomes the one before this rebalance; at the first rebalance it
// is also the rank at first.
exec::Array<std::int64_t>& Surveyor::record_of(const Space& space, std::size_t set,
                                               std::int64_t objects) {
  const std::int64_t here = communicator_.rank();
  const bool is_first = first_.domains == nullptr && !migrates_;
  const exec::Array<std::int64_t>* const known = known_records(set, objects);
  exec::Array<std::int64_t>& record = travelling_[set];
  if (known == nullptr) {
    record =
        exec::filled(space, label, objects, here * second_half + (is_first ? here : unknown_rank));
    return record;
  }
  const Space there = known->space();
  record = {there, label, objects};
  const WriteRecord write{here * second_half, known->data(), record.data()};
  exec::for_each(there, label, objects, write);
  there.fence(label);
  return record;
}

const exec::Array<std::int64_t>* Surveyor::known_records(std::size_t set,
                                                         std::int64_t objects) const noexcept {
  const bool are_known = first_.domains != nullptr && !migrates_ && set < records_.size() &&
                         records_[set].size() == objects;
  return are_known ? &records_[set] : nullptr;
}

const Domains* Surveyor::find(std::int64_t generation) const noexcept {
  for (const Kept* kept : {&first_, &previous_})
    if (kept->domains != nullptr && kept->generation == generation && parts_of(*kept->domains) > 0)
      return kept->domains.get();
  return nullptr;
}

void Surveyor::end_rebalance(std::int64_t back_to, std::int64_t generation) noexcept {
  std::swap(records_, travelling_);
  give_back();
  if (is_start_) return;
  if (back_to >= 0 && back_to == first_.generation) first_.generation = generation;
  previous_ = now_;
  if (first_.domains == nullptr) first_ = now_;
}

void Surveyor::follow(std::size_t set, std::int64_t before,
                      const exec::Array<std::int64_t>& places) {
  const int here = communicator_.rank();
  if (set < records_.size() && records_[set].size() == before)
    take_over(places, here * second_half + unknown_rank, records_[set]);
  if (set < advised_ranks_.size() && advised_ranks_[set].size() == before)
    take_over(places, here, advised_ranks_[set]);
}

void Surveyor::note_migration() noexcept {
  migrates_ = true;
  for (exec::Array<std::int64_t>& record : records_) record = {};
  advised_ranks_.clear();
}

}  // namespace evenkeel
