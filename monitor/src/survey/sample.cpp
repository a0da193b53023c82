#include "survey/sample.hpp"
#include "survey/stage.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/weights.hpp>
#include <evenkeel/core/weights/extract.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace evenkeel {

namespace {

constexpr const char* sample_label = "evenkeel::surveyor::objects";
constexpr std::int64_t most_sampled = 1024;  // number of objects of a set

template <class T>
bool has_all(const exec::Array<T>* array, std::int64_t objects) {
  return array != nullptr && array->size() == objects;
}

// The bytes of all objects of a set, as MoveReport counts them, but without payloads.
double bytes_of(const Set& set) {
  std::int64_t of_object = set.options().bytes_per_object;
  if (of_object == 0)
    for (const Field& field : set.fields()) of_object += field.layout().bytes_per_object();
  return static_cast<double>(of_object) * static_cast<double>(set.count());
}

}  // namespace

void SampleStatement::add(SampleStatement& into, const SampleStatement& from) noexcept {
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

void ObjectSample::add(const Set& set, const Known& known) {
  check(set);
  const Space space = Space::where(set.position().memory);
  const std::int64_t objects = set.count();
  const bool is_weighed = set.options().weight.given();
  const bool is_recorded = has_all(known.records, objects);
  const exec::Array<double> weights =
      is_weighed && is_recorded ? given_weights(space, set) : exec::Array<double>();
  const exec::Array<double>* const costs = is_weighed ? &weights : known.costs;
  const Extract extract = is_weighed && !is_recorded ? extract_by_weight(space, set, most_sampled)
                          : has_all(costs, objects)  ? extract_of(*costs, most_sampled)
                                                     : extract_of(objects, {}, most_sampled);
  const std::vector<double> places = places_of(space, set, extract.objects);
  const int dimensions = objects > 0 ? set.position().components : 0;
  if (dimensions_ > 0 && dimensions > 0 && dimensions != dimensions_)
    throw Error(ErrorKind::bad_input, Where{stage_name},
                "Some sets are in 2 and some in 3 dimensions.",
                "Give them Balancers of their own.");
  dimensions_ = std::max(dimensions_, dimensions);
  places_.insert(places_.end(), places.begin(), places.end());
  costs_.insert(costs_.end(), extract.weights.begin(), extract.weights.end());
  bytes_.insert(
      bytes_.end(), extract.objects.size(),
      bytes_of(set) / static_cast<double>(std::max<std::size_t>(1, extract.objects.size())));
  sums_.first.resize(ranks_ + 1);
  sums_.previous.resize(ranks_);
  is_weighed_ = is_weighed_ && is_weighed;
  weight_ += std::accumulate(extract.weights.begin(), extract.weights.end(), 0.0);
  is_recorded_ = is_recorded_ && is_recorded;
  if (is_recorded) {
    RankRecords::add_up(*known.records,
                        has_all(costs, objects) ? costs->span() : std::span<const double>(), sums_);
    for (const std::int64_t record : exec::picked(*known.records, sample_label, extract.objects)) {
      first_.push_back(RankRecords::first_rank(record));
      previous_.push_back(RankRecords::previous_rank(record));
    }
  }
  is_noted_ = is_noted_ && has_all(known.advised, objects);
  if (!has_all(known.advised, objects)) return;
  const auto advised = exec::picked(*known.advised, sample_label, extract.objects);
  advised_.insert(advised_.end(), advised.begin(), advised.end());
}

void ObjectSample::scale_to(double load) {
  const double sum = std::accumulate(costs_.begin(), costs_.end(), 0.0);
  if (!(sum > 0)) {
    std::fill(costs_.begin(), costs_.end(),
              load / static_cast<double>(std::max<std::size_t>(1, costs_.size())));
    for (std::size_t i = 0; i < first_.size(); ++i) {
      sums_.previous[static_cast<std::size_t>(previous_[i])] += costs_[i];
      (first_[i] < 0 ? sums_.first.back() : sums_.first[static_cast<std::size_t>(first_[i])]) +=
          costs_[i];
    }
    return;
  }
  for (std::vector<double>* const list : {&costs_, &sums_.first, &sums_.previous})
    for (double& cost : *list) cost *= load / sum;
}

SampleStatement ObjectSample::statement() const {
  SampleStatement mine;
  mine.objects = count();
  mine.off_record = is_recorded_ ? 0 : 1;
  mine.off_advice = is_noted_ ? 0 : 1;
  mine.unweighed = is_weighed_ ? 0 : 1;
  mine.greatest_weight = weight_;
  mine.first_unknown = std::ranges::count(first_, RankRecords::unknown_rank);
  mine.bounds.dimensions = dimensions_;
  if (dimensions_ > 0) mine.least_dimensions = dimensions_;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const std::size_t d = i % static_cast<std::size_t>(dimensions_);
    if (!std::isfinite(places_[i]))
      throw Error(ErrorKind::bad_input, Where{stage_name}, "A position is not finite.",
                  "Give finite positions.");
    mine.bounds.lower[d] = std::min(mine.bounds.lower[d], places_[i]);
    mine.bounds.upper[d] = std::max(mine.bounds.upper[d], places_[i]);
  }
  return mine;
}

// Without any known first rank, the present rank counts, which is the previous rank of new objects.
// The load of all objects whose first rank is not known follows that of the sampled ones.
void ObjectSample::fill_first_ranks() {
  const auto dimensions = static_cast<std::size_t>(dimensions_);
  std::vector<std::size_t> known, unknown;
  for (std::size_t i = 0; i < first_.size(); ++i)
    (first_[i] == RankRecords::unknown_rank ? unknown : known).push_back(i);
  double sampled = 0;
  for (const std::size_t i : unknown) {
    sampled += costs_[i];
    double least = std::numeric_limits<double>::max();
    first_[i] = previous_[i];
    for (const std::size_t other : known) {
      double square = 0;
      for (std::size_t d = 0; d < dimensions; ++d) {
        const double apart = places_[i * dimensions + d] - places_[other * dimensions + d];
        square += apart * apart;
      }
      if (square >= least) continue;
      least = square;
      first_[i] = first_[other];
    }
  }
  if (!(sampled > 0)) return;
  for (const std::size_t i : unknown)
    sums_.first[static_cast<std::size_t>(first_[i])] += costs_[i] * (sums_.first.back() / sampled);
}

Set ObjectSample::as_set(int dimensions) {
  field_ = raw_field(places_.data(), {.count = count(), .components = std::max(2, dimensions)});
  return set(field_);
}

}  // namespace evenkeel
