#include "stages.hpp"

#include "cloud_objects.hpp"
#include "cut/search.hpp"
#include "cut/shift_targets.hpp"
#include "recording.hpp"

#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/core/boxes/cut.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/weights/load.hpp>

#include <mpi.h>

#include <numeric>

namespace evenkeel::scale {

namespace {

// Adds the seconds of its lifetime to a sum.
class Timed {
 public:
  explicit Timed(double& seconds) : seconds_(seconds) {}
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;
  ~Timed() { seconds_ += cpu_seconds() - began_; }

 private:
  double& seconds_;
  double began_ = cpu_seconds();
};

// The objects of one rank, beside those of all ranks. Answers with the sums over all ranks, and
// times both separately.
class OneOfMany final : public CutObjects {
  template <class Function>
  auto both(const Function& function) const {
    {
      const Timed timed(of_mine_);
      function(mine_);
    }
    const Timed timed(of_all_);
    return function(all_);
  }

 public:
  OneOfMany(CutObjects& all, CutObjects& mine) : all_(all), mine_(mine) {}

  void weigh(const Units& units) noexcept override {
    mine_.weigh(units);
    all_.weigh(units);
  }
  std::span<std::int64_t> count_all(std::uint64_t base, Division division) noexcept override {
    return both([&](CutObjects& objects) { return objects.count_all(base, division); });
  }
  std::span<std::int64_t> keep_of_all(std::uint64_t base,
                                      const NarrowingStep& step) noexcept override {
    return both([&](CutObjects& objects) { return objects.keep_of_all(base, step); });
  }
  std::span<std::int64_t> keep_of_kept(const NarrowingStep& step) noexcept override {
    return both([&](CutObjects& objects) { return objects.keep_of_kept(step); });
  }
  std::int64_t kept() const noexcept override {
    return both([](const CutObjects& objects) { return objects.kept(); });
  }
  std::vector<Item> kept_items() const override {
    return both([](const CutObjects& objects) { return objects.kept_items(); });
  }
  std::vector<CurveKey> sample(std::int64_t every) const override { return all_.sample(every); }
  std::span<std::int64_t> count_between(std::span<const CurveKey> boundaries) noexcept override {
    return both([&](CutObjects& objects) { return objects.count_between(boundaries); });
  }
  std::vector<Item> items_in(std::span<const KeyRange> ranges) const override {
    return all_.items_in(ranges);
  }

  double seconds_of_all() const noexcept { return of_all_; }
  double seconds_of_mine() const noexcept { return of_mine_; }

 private:
  CutObjects &all_, &mine_;
  mutable double of_all_ = 0, of_mine_ = 0;
};

// Half of the load by which parts may exceed the average, as cut() allows it.
std::int64_t tolerance_of(double target_lambda, std::int64_t total, std::int64_t parts) {
  if (!(target_lambda > 0)) return 0;
  const double half = std::clamp((target_lambda - 1) / 2, 0.0, 0.25);
  return static_cast<std::int64_t>(half * static_cast<double>(total) / static_cast<double>(parts));
}

// The ranks of a part begin at first_ranks[part]. The last entry is the number of all ranks.
Searched search_in(CutObjects& objects, const Census& all, std::span<const int> first_ranks,
                   double target_lambda) {
  const std::int64_t parts = std::ssize(first_ranks) - 1;
  const Communicator self(MPI_COMM_SELF);
  Searched found;
  found.splitters.resize(static_cast<std::size_t>(parts) + 1);
  found.splitters.back() = end_of_curve(3);
  const Timed timed(found.seconds);
  Search places(self, objects, parts);
  std::span<const Search::Place> at;
  found.calls = recorded([&] {
    const std::int64_t total = places.weigh(all);
    std::vector<std::int64_t> shares(static_cast<std::size_t>(parts) - 1);
    std::int64_t least = 1;
    for (std::int64_t p = 1; p < parts; ++p)
      least = shares[static_cast<std::size_t>(p) - 1] = std::clamp(
          share_before(first_ranks[static_cast<std::size_t>(p)], first_ranks.back(), total), least,
          std::max(least, total));
    at = places.run({shares, Rounding::nearest, tolerance_of(target_lambda, total, parts)});
  });
  for (std::size_t p = 0; p < at.size(); ++p)
    found.splitters[p + 1] = std::max(found.splitters[p], CurveKey{at[p].splitter});
  return found;
}

template <class Options>
Options box_options(double target_lambda) {
  Options options;
  options.box = {{0, 0, 0}, {1, 1, 1}};
  options.target_lambda = target_lambda;
  return options;
}

// The first ranks if each part has one rank.
std::vector<int> one_for_each(std::int64_t parts) {
  std::vector<int> first_ranks(static_cast<std::size_t>(parts) + 1);
  std::iota(first_ranks.begin(), first_ranks.end(), 0);
  return first_ranks;
}

}  // namespace

double cpu_seconds() { return 1e-9 * static_cast<double>(thread_cpu_nanoseconds()); }

Searched search(const Cloud& cloud, std::int64_t parts, double target_lambda,
                std::span<const CurveKey> mine) {
  Census all;
  all.objects = cloud.objects();
  all.least_key = 0;
  all.greatest_key = end_of_curve(3).value - 1;
  const std::int64_t bins = Search::most_bins(parts);
  CloudObjects of_all(cloud, bins);
  const WeightedKeys keys = {mine};
  const auto of_mine = objects_of(std::span(&keys, 1), bins);
  OneOfMany both(of_all, *of_mine);
  both.weigh(Units(all));
  Searched found = search_in(both, all, one_for_each(parts), target_lambda);
  found.seconds -= both.seconds_of_all() + both.seconds_of_mine();
  found.counting = both.seconds_of_mine();
  return found;
}

Searched search(std::span<const WeightedKeys> sets, std::int64_t parts,
                std::span<const int> first_ranks) {
  const Census all = census(sets, 3);
  const auto objects = objects_of(sets, Search::most_bins(parts));
  objects->weigh(Units(all));
  if (!first_ranks.empty()) return search_in(*objects, all, first_ranks, 0);
  return search_in(*objects, all, one_for_each(parts), 0);
}

BoxesCut cut_boxes(const Method& method, std::span<std::array<double, 3>> positions,
                   std::span<const double> weights, int parts, double target_lambda,
                   const Domains& last) {
  const Communicator self(MPI_COMM_SELF);
  const WeightedPoints points = {set(positions).position(), weights};
  const auto cut = [&] {
    if (std::holds_alternative<RecursiveBisection>(method)) {
      auto options = box_options<BisectionOptions>(target_lambda);
      options.parts = parts;
      options.earlier = std::get_if<TreeDomains>(&last);
      bisect(self, {&points, 1}, options);
    } else {
      auto options = box_options<GridCutOptions>(target_lambda);
      options.shape = factored(parts, 3);
      if (std::holds_alternative<Tensor>(method)) options.scheme = GridScheme::tensor;
      cut_grid(self, {&points, 1}, options);
    }
  };
  BoxesCut found;
  found.seconds = cpu_seconds_of([&] { found.calls = recorded(cut); });
  return found;
}

}  // namespace evenkeel::scale
