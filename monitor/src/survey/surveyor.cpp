#include "survey/surveyor.hpp"
#include "survey/shared_error.hpp"
#include "survey/stage.hpp"

#include "options/place_options.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/core/box/bounds.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/domains/owner.hpp>
#include <evenkeel/core/order.hpp>

#include <cmath>
#include <numeric>

namespace evenkeel {

namespace {

// If more than this share of the load is on ranks that do not own the places of its objects, places
// do not show the owners.
constexpr double most_strays = 0.02;

// For each set, the rank that would own each object under other domains.
std::vector<exec::Array<int>> ranks_under(const Domains& domains, std::span<const Set> sets) {
  std::vector<exec::Array<int>> ranks;
  for (const Set& set : sets) {
    check(set);
    const Space space = Space::where(set.position().memory);
    exec::Array<int>& of_set = ranks.emplace_back(space, "evenkeel::surveyor::ranks", set.count());
    if (!of_set.empty()) write_ranks(space, domains, set, of_set.data());
  }
  return ranks;
}

// Finds the ranks of a set's objects under several domains. Most of these domains are ranges of the
// same curve, so the keys along that curve are computed once.
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

ObjectSample Surveyor::sample_of(const Question& question) const {
  ObjectSample sample(communicator_.size());
  for (std::size_t s = 0; s < question.sets.size(); ++s) {
    const std::int64_t objects = question.sets[s].count();
    sample.add(question.sets[s],
               {.costs = s < question.costs.size() ? &question.costs[s] : nullptr,
                .records = question.has_moved ? records_.known(s, objects) : nullptr,
                .advised = records_.known_advice(s, objects)});
  }
  const double speed = relative_speed(question.options, communicator_.rank());
  sample.scale_to(static_cast<double>(question.load) * speed);
  return sample;
}

const Box& Surveyor::box_for(const Question& question, std::span<const Set> sample,
                             const Bounds& found) {
  if (question.options.box) return *question.options.box;
  if (parts_of(question.domains) > 0) return box_of(question.domains);
  if (!box_) box_ = measure_box(communicator_, sample, std::nullopt, found).box;
  return *box_;
}

// Collective. A failure on a single rank, such as a lack of memory, is reported in the vote that
// begins a cut.
Domains Surveyor::cut_anew(const Question& question, ObjectSample& sample,
                           const SampleStatement& all) {
  const int dimensions = all.bounds.dimensions;
  std::vector<Set> sets;
  const std::span<const double> weights = sample.costs();
  PlaceOptions how = {.method = method_in_use(question.options.method, question.domains)};
  const Status ready = attempt(stage_name, [&] {
    sets.push_back(sample.as_set(dimensions));
    how = place_options_of(question.options, question.domains);
  });
  const Box& box = box_for(question, sets, all.bounds);
  const PreparedToCut prepared = prepare_to_cut(ready, sets, {dimensions, box}, how);
  const FreshGoal goal = {.target_lambda = question.options.target_lambda,
                          .objects = all.objects,
                          .generation = generation_of(question.domains)};
  return evenkeel::cut_anew(communicator_, Status(), prepared, Weights(&weights, 1), goal,
                            question.domains)
      .domains;
}

void Surveyor::add_up(const Question& question, ObjectSample& sample, const SampleStatement& all,
                      const Domains* fresh, LoadTally& into) const {
  const Set set = sample.as_set(all.bounds.dimensions);
  const std::span<const double> costs = sample.costs();
  std::vector<int> ranks(costs.size());
  const Space space = Space::where(MemoryKind::host);
  KeysAlong keys(space, set);
  const auto find_ranks = [&](const Domains* domains) {
    if (domains == nullptr || parts_of(*domains) == 0 || !own_places(*domains)) return false;
    keys.write_ranks(*domains, ranks.data());
    return true;
  };
  const auto add = [&](std::size_t row, const Domains* domains) {
    if (find_ranks(domains)) into.add(row, ranks, costs);
  };
  if (find_ranks(&question.domains))
    for (std::size_t i = 0; i < ranks.size(); ++i)
      if (ranks[i] != communicator_.rank()) into.add_stray(costs[i]);
  const std::span<const double> bytes = sample.bytes();
  if (find_ranks(fresh)) {
    into.add(LoadTally::fresh, ranks, costs);
    for (std::size_t i = 0; i < ranks.size(); ++i)
      if (ranks[i] != communicator_.rank()) into.add_moved(bytes[i]);
  } else {  // a graph
    std::fill(ranks.begin(), ranks.end(), communicator_.rank());
    into.add(LoadTally::present, ranks, costs);
    into.add_moved(std::accumulate(bytes.begin(), bytes.end(), 0.0));
  }
  if (all.is_on_advice() && advised_ != nullptr)
    into.add(LoadTally::advised, sample.advised_ranks(), costs);
  else
    add(LoadTally::advised, advised_.get());
  if (question.has_moved) {
    add(LoadTally::first_again, records_.first());
    add(LoadTally::previous_again, records_.previous());
    if (all.is_known_enough()) {
      sample.fill_first_ranks();
      into.add(LoadTally::first, sample.by_first_rank());
      into.add(LoadTally::previous, sample.by_previous_rank());
    }
  }
  std::size_t row = LoadTally::earlier;
  for (const auto& entry : earlier_.entries()) add(row++, entry.cut.get());
}

Survey Surveyor::survey(const Question& question) try {
  const exec::Region shown("evenkeel::survey");
  load_ = question.load;
  return find_out(question);
} catch (const Error& error) {
  require_shared(error);
  return {};
}

Survey Surveyor::find_out(const Question& question) {
  const std::int64_t began = question.now();
  ObjectSample sample(communicator_.size());
  std::optional<LoadTally> tally;
  SampleStatement mine;
  const Status taken = attempt(stage_name, [&] {
    sample = sample_of(question);
    tally.emplace(communicator_.size(), relative_speeds(question.options));
    mine = sample.statement();
  });
  const std::int64_t alone = question.now() - began;
  const SampleStatement all = vote<&SampleStatement::add>(communicator_, taken, mine);
  const std::int64_t together = question.now();  // waiting for the slowest rank does not count
  if (!all.can_be_cut()) return {};
  std::optional<Domains> fresh;
  if (!places_by_graph(question.options.method)) fresh = cut_anew(question, sample, all);
  if (all.unweighed == 0 && all.greatest_weight > 0)
    tally->add_weight(communicator_.rank(), sample.weight() / all.greatest_weight);
  std::shared_ptr<const Domains> latest;
  const Status added = attempt(stage_name, [&] {
    if (fresh)
      latest = std::make_shared<const Domains>(*fresh);
    else
      tally->add_evenly(LoadTally::fresh, sample.costs());
    add_up(question, sample, all, latest.get(), *tally);
  });
  if (!added.ok()) tally->fail();
  if (!tally->reduce(communicator_)) return {};
  latest_ = std::move(latest);
  Survey found = survey_from(question, *tally, all);
  if (latest_ != nullptr) earlier_.add(question.step, latest_);
  found.took = alone + question.now() - together;
  return found;
}

void Surveyor::advise(Question question) {
  const exec::Region shown("evenkeel::survey");
  question.load = load_;
  advised_ = latest_;
  records_.note_advice({});
  if (places_by_graph(question.options.method)) return;  // without a cut, no owners are known
  try {
    ObjectSample sample(communicator_.size());
    SampleStatement mine;
    const Status taken = attempt(stage_name, [&] {
      sample = sample_of(question);
      mine = sample.statement();
    });
    const SampleStatement all = vote<&SampleStatement::add>(communicator_, taken, mine);
    if (!all.can_be_cut()) return;
    const Domains fresh = cut_anew(question, sample, all);
    std::shared_ptr<const Domains> advised;
    std::vector<exec::Array<int>> ranks;
    vote(communicator_, attempt(stage_name, [&] {
           advised = std::make_shared<const Domains>(fresh);
           ranks = ranks_under(fresh, question.sets);
         }));
    advised_ = std::move(advised);
    records_.note_advice(std::move(ranks));
  } catch (const Error& error) {  // there are no notes, so only places can show the owners
    require_shared(error);
  }
}

// If records are missing, the load under domains that the run could have kept is known exactly only
// if these domains own places, and if objects are now on the ranks that own their places.
Survey Surveyor::survey_from(const Question& question, const LoadTally& tally,
                             const SampleStatement& all) const {
  Survey found;
  Counterfactual& would_be = found.would_be;
  const bool by_place = tally.share_of_strays() <= most_strays;
  const auto known = [&](std::size_t row, std::size_t again) {
    if (all.is_on_record()) return row;
    if (by_place && tally.greatest(again) >= 0) return again;
    return all.is_known_enough() ? row : LoadTally::rows;
  };
  const auto of_cut = [&](std::size_t row) {
    const std::int64_t greatest = tally.greatest(row);
    return greatest < 0 ? greatest
                        : std::llround(static_cast<double>(greatest) * question.best_lambda);
  };
  would_be.fresh = of_cut(LoadTally::fresh);
  would_be.as_weighed = tally.greatest_as_weighed();
  would_be.first_again = tally.greatest(LoadTally::first_again);
  would_be.previous_again = tally.greatest(LoadTally::previous_again);
  would_be.advised = tally.greatest(LoadTally::advised);
  const double leaving = places_by_graph(question.options.method) ? tally.share_in_excess() : 1;
  would_be.moved = std::llround(leaving * static_cast<double>(tally.moved()));
  const std::size_t first = known(LoadTally::first, LoadTally::first_again);
  const std::size_t previous = known(LoadTally::previous, LoadTally::previous_again);
  if (first < LoadTally::rows) would_be.first = tally.greatest(first);
  would_be.guessed = std::llround(all.share_guessed() * tally.mean());
  if (previous < LoadTally::rows) would_be.previous = tally.greatest(previous);
  const std::size_t otherwise = question.has_moved ? first : LoadTally::advised;
  if (otherwise < LoadTally::rows) found.mine_otherwise = tally.of(otherwise, communicator_.rank());
  if (!by_place) return found;
  std::size_t i = 0;
  for (const auto& entry : earlier_.entries()) {
    would_be.earlier[i] = of_cut(LoadTally::earlier + i);
    would_be.age[i++] = question.step - entry.step;
  }
  return found;
}

}  // namespace evenkeel
