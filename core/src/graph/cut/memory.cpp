// Cuts of a graph whose parts must fit into memory.

#include "cut/add_up.hpp"
#include "graph/cut/multilevel.hpp"
#include "graph/stage.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/core/weights/bytes.hpp>
#include <evenkeel/core/weights/speeds.hpp>

#include <algorithm>
#include <numeric>

namespace evenkeel::graphs {

namespace {

constexpr const char* memory_label = "evenkeel::graph::memory";

struct PartOf {
  const int* parts;
  KOKKOS_FUNCTION int operator()(std::int64_t, std::int64_t vertex) const { return parts[vertex]; }
};

class CutsWithinMemory {
 public:
  CutsWithinMemory(const Space& space, const Communicator& communicator, Given& given,
                   const GraphCutOptions& options, const ByGraph& method)
      : space_(space),
        communicator_(communicator),
        given_(given),
        options_(options),
        method_(method),
        parts_(static_cast<int>(given.parts)),
        wishes_{.effort = method.effort,
                .target_lambda = method.target_lambda,
                .speeds = unless_equal(options.speeds),
                .progress = &options.progress} {}

  // Collective. The cut by the given weights.
  GraphCut first_cut() const {
    GraphRead read = read_given(space_, communicator_, given_, method_.moving_cost);
    GraphCut cut = cut_read(communicator_, read, parts_, wishes_);
    measure(cut);
    return cut;
  }

  // Collective. Replaces a cut that does not fit.
  void improve(GraphCut& cut) {
    GraphRead whole = read_given(space_, communicator_, given_, method_.moving_cost);
    exec::Array<double> work;
    vote(communicator_, attempt(stage_name, [&] {
           given_.weights.resize(std::max<std::size_t>(1, given_.weights.size()));
           work = std::move(given_.weights.front());
         }));
    const bool has_weights = given_.all.has(Says::weights);
    const double all_work = sum(by_part(cut.parts, has_weights ? work.data() : nullptr,
                                        has_weights ? given_.all.heaviest[0] : 1));
    const ByWorkAndBytes how({all_work, sum(cut.report.bytes)}, wishes_.speeds, options_.memory);
    given_.all.of(Says::weights) = given_.all.ranks;
    const auto make = [&](double by_bytes) {
      GraphCut next = cut_by_bytes(how, work, by_bytes);
      next.report = report_on(communicator_, whole, parts_, wishes_, next.parts);
      measure(next);
      return next;
    };
    find_cut_that_fits(cut, how.can_fit(1), make, [&](const GraphCut& one) { return judge(one); });
    if (!judge(cut).fits()) keep_if_as_good(whole, cut);
  }

  TriedCut judge(const GraphCut& cut) const {
    return {std::ranges::max(cut.report.lambda),
            fullest_of(cut.report.bytes, options_.memory).share()};
  }

 private:
  static double sum(const std::vector<double>& numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), 0.0);
  }

  // Collective. Adds up numbers of the vertices of each part, or counts the vertices if `numbers`
  // is null. `greatest` is that of all ranks. The sums are the same on any number of ranks.
  std::vector<double> by_part(const exec::Array<int>& part_of, const double* numbers,
                              double greatest) const {
    const Units units(
        Census{.objects = std::max<std::int64_t>(given_.all.vertices, 1), .heaviest = greatest});
    const auto parts = static_cast<std::size_t>(parts_);
    std::vector<std::int64_t> sums;
    std::vector<double> result;
    vote(communicator_, attempt(stage_name, [&] {
           result.resize(parts);
           const auto there =
               exec::filled<std::int64_t>(space_, memory_label, std::int64_t{2} * parts_, 0);
           if (!units.weightless())
             with_space(space_, [&](const auto& instance) {
               add_up(instance, memory_label,
                      {nullptr, numbers, given_.owned, units, there.data(), parts_},
                      PartOf{part_of.data()});
             });
           sums = there.on_host();
         }));
    communicator_.all_reduce(std::span(sums).first(parts), Reduction::sum);
    for (std::size_t part = 0; part < parts; ++part) result[part] = units.weight_of(sums[part]);
    return result;
  }

  // Collective.
  void measure(GraphCut& cut) const {
    cut.report.bytes = by_part(cut.parts, given_.bytes.data(), given_.all.heaviest_bytes);
  }

  // Collective. The parts are only as even as the target demands.
  GraphCut cut_by_bytes(const ByWorkAndBytes& how, const exec::Array<double>& work,
                        double by_bytes) const {
    std::vector<double> shares;
    double heaviest = 0;
    vote(communicator_, attempt(stage_name, [&] {
           exec::Array<double>& weights = given_.weights.front();
           weights = how.weights(space_, work.span(), given_.bytes.span(), given_.owned, by_bytes);
           if (given_.owned > 0)
             heaviest = exec::extremes<double>(space_, given_.owned, exec::ValueAt{weights.data()})
                            .greatest;
           shares = how.shares_of_parts(by_bytes);
         }));
    given_.all.heaviest[0] = communicator_.all_reduce(heaviest, Reduction::greatest);
    CutWishes wishes = wishes_;
    wishes.target_lambda = by_bytes < 1 ? (1 + wishes_.target_lambda) / 2 : 1;
    wishes.speeds = unless_equal(shares);
    GraphRead read = read_given(space_, communicator_, given_, method_.moving_cost);
    return cut_read(communicator_, read, parts_, wishes);
  }

  // Collective. Replaces the cut by the present parts if all vertices have one, and these parts
  // leave the fullest one no fuller.
  void keep_if_as_good(GraphRead& whole, GraphCut& cut) const {
    if (!whole.has_homes) return;
    GraphCut kept;
    std::int64_t homeless = 0;
    vote(communicator_, attempt(stage_name, [&] {
           const int* const homes = whole.level.wishes.homes.data();
           homeless = exec::sum<std::int64_t>(space_, given_.owned, exec::IsBelow{homes, 0});
           kept.parts = {space_, memory_label, given_.owned};
           exec::for_each(space_, memory_label, given_.owned, exec::Copy{homes, kept.parts.data()});
           space_.fence(memory_label);
         }));
    if (communicator_.all_reduce(homeless, Reduction::sum) > 0) return;
    kept.report = report_on(communicator_, whole, parts_, wishes_, kept.parts);
    measure(kept);
    if (!judge(cut).is_better_than(judge(kept))) cut = std::move(kept);
  }

  const Space& space_;
  const Communicator& communicator_;
  Given& given_;
  const GraphCutOptions& options_;
  const ByGraph& method_;
  int parts_;
  CutWishes wishes_;
};

}  // namespace

GraphCut cut_within_memory(const Space& space, const Communicator& communicator, Given& given,
                           const GraphCutOptions& options, const ByGraph& method) {
  CutsWithinMemory cuts(space, communicator, given, options, method);
  GraphCut cut = cuts.first_cut();
  if (!cuts.judge(cut).fits()) cuts.improve(cut);
  return cut;
}

}  // namespace evenkeel::graphs
