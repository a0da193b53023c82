// The steps of an assignment: bounds, starts, search, choice, certificate.

#include <evenkeel/assign.hpp>

#include "bounds.hpp"
#include "exhaust.hpp"
#include "faces.hpp"
#include "problem.hpp"
#include "search.hpp"
#include "starts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <utility>

namespace evenkeel {

namespace assigning {

namespace {

// A map that keeps the caps.
struct Candidate {
  std::vector<int> map;
  double lambda = 0;
  std::int64_t place = 0;  // the energy of faces and moves
};

Problem problem_of(std::span<const double> costs, const AssignOptions& options) {
  Problem problem = make_problem(costs, options);
  std::visit([&](const auto& place) { set_place(problem, place); }, options.place);
  return problem;
}

class Assigner {
 public:
  explicit Assigner(const Problem& problem)
      : problem_(problem),
        bound_(bound_of(problem)),
        goal_(std::max(problem.target, bound_.lambda)) {}

  const Bound& bound() const { return bound_; }

  std::vector<int> run() {
    if (problem_.blocks == 0) return {};
    const bool fresh = problem_.from.empty();
    if (is_large() && !problem_.caps) {
      const Search search = fresh ? improved(chain(problem_, near_order()), hot())
                                  : improved(present_map(problem_, goal_), 0);
      if (lambda_of(problem_, search.loads()) <= enough()) return search.map();
      offer(search);
      offer(improved(search.map(), hot(), steep));
      if (is_even()) return best();
    }
    find_even_map();
    const std::vector<int> even = most_even().map;
    if (!is_large()) {
      if (!fresh) offer(improved(present_map(problem_, goal_), 0));
      if (!fresh) offer(improved(present_map(problem_, goal_), hot() / 4));
      search_from_chain();
    }
    if (problem_.blocks < 1000 || best() == even) offer(improved(even, hot()));
    if (!is_even() || best() == even) offer(improved(most_even().map, hot(), steep));
    return best();
  }

 private:
  // With many blocks, each is visited only a few times, so that a search takes some 10 to 50 ms.
  static constexpr std::int64_t visits = 800'000, large = 20'000;
  static constexpr std::int64_t steep = 16;  // for searches after others did not become even
  bool is_large() const { return problem_.blocks > large; }
  int sweeps() const {
    std::int64_t each = visits / std::max(1, problem_.blocks);
    if (is_large()) each = each * large / problem_.blocks;
    return static_cast<int>(std::clamp<std::int64_t>(each, 2, 400));
  }
  std::int64_t hot() const { return is_large() ? one_face / 4 : one_face / 2; }

  // The aims of a search that add up to `lambda` over the phases: each is its bound plus the same
  // room. A load is even if it is at most the aim after rounding down to 2^-20 shares. So the aim
  // is one unit below lambda, and not below a load that no map avoids.
  std::vector<std::int64_t> aims(double lambda, double margin) const {
    double room = lambda - margin;
    for (int p = 0; p < problem_.phases && problem_.total > 0; ++p)
      room -= at(bound_.phases, p) * static_cast<double>(at(problem_.totals, p)) /
              static_cast<double>(problem_.total);
    const auto units = [](double share) {
      return static_cast<std::int64_t>(share * static_cast<double>(one_share));
    };
    std::vector<std::int64_t> aims;
    for (const double phase : bound_.phases)
      aims.push_back(std::max(units(phase + room) - 1, units(phase)));
    return aims;
  }

  void offer(const Search& search) {
    if (!search.keeps_caps()) return;
    candidates_.push_back(
        {search.map(), lambda_of(problem_, search.loads()), search.energy_of_place()});
  }
  const Candidate& most_even() const {
    return *std::min_element(
        candidates_.begin(), candidates_.end(),
        [](const Candidate& a, const Candidate& b) { return a.lambda < b.lambda; });
  }
  double enough() const { return goal_ * (1 + 1e-6); }
  bool is_even() const { return most_even().lambda <= enough(); }

  // A map is even enough at the target, or within 1/2 % of the most even one if that is above the
  // target. The best of these maps has the least price of faces and moves.
  std::vector<int> best() const {
    const Candidate* best = &most_even();
    const double enough = best->lambda <= problem_.target ? problem_.target : best->lambda * 1.005;
    for (const Candidate& candidate : candidates_)
      if (candidate.lambda <= enough && candidate.place < best->place) best = &candidate;
    return best->map;
  }

  // Finds maps that keep the caps, and one that is as even as possible, whatever it cuts.
  void find_even_map() {
    for (const bool by_bytes : {false, true}) {
      if (by_bytes && (!problem_.caps || !candidates_.empty())) break;
      Search search(problem_, aims(bound_.lambda, 0), heaviest_first(problem_, by_bytes));
      if (!search.keeps_caps()) search.repair();
      if (!search.keeps_caps()) search.anneal(sweeps(), hot(), true);
      offer(search);
    }
    const bool few = problem_.blocks <= 32 && problem_.ranks <= 64;
    if (few && (candidates_.empty() || !is_even())) try_all();
    if (candidates_.empty())
      refuse("No map that keeps the caps was found, and no proof that they are impossible.",
             "Raise the caps, or use more ranks or smaller blocks.");
  }

  void try_all() {
    const Exhausted all =
        exhaust(problem_,
                candidates_.empty() ? std::numeric_limits<double>::infinity() : most_even().lambda,
                1'000'000);
    if (!all.map.empty()) offer(Search(problem_, aims(bound_.lambda, 0), all.map));
    if (!all.complete) return;
    if (candidates_.empty())
      refuse("No map can keep the caps: all maps were tried.",
             "Raise the caps, or use more ranks or smaller blocks.");
    if (most_even().lambda <= bound_.lambda) return;
    bound_.lambda = most_even().lambda;
    bound_.reason = "all maps were tried";
    goal_ = std::max(problem_.target, bound_.lambda);
  }

  std::vector<int> near_order() const {
    return problem_.near_order ? problem_.near_order(problem_) : input_order(problem_.blocks);
  }

  // From the chain that cuts fewer faces: along the order of the input, or along the near order.
  void search_from_chain() {
    std::optional<Search> best;
    for (const bool near : {false, true}) {
      if (near && !problem_.near_order) continue;
      std::vector<int> map = chain(problem_, near ? near_order() : input_order(problem_.blocks));
      Search search(problem_, aims(goal_, 0), std::move(map));
      if (!best || search.energy_of_place() < best->energy_of_place()) best.emplace(search);
    }
    if (best) offer(improved(best->map(), hot()));
  }

  // Improves a map. Without heat, this only removes overload. `evenness` multiplies the price of
  // overload, which then stays the same during the search.
  Search improved(std::vector<int> start, std::int64_t hot, std::int64_t evenness = 1) const {
    Search search(problem_, aims(goal_, 0.001), std::move(start));
    search.value_evenness(evenness);
    if (hot > 0) search.anneal(sweeps(), hot, evenness == 1);
    search.set_aims(aims(goal_, 0));
    search.repair();
    return search;
  }

  const Problem& problem_;
  Bound bound_;
  double goal_ = 0;  // lambda up to this is even enough
  std::vector<Candidate> candidates_;
};

// --- The certificate -----------------------------------------------------------------------------

std::string digits(double lambda) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", lambda);
  return text;
}

std::string reason_of(const BlockMap& result, const Problem& problem, const Bound& bound) {
  if (problem.total == 0) return "Nothing has a cost.";
  if (result.lambda <= result.bound * (1 + 1e-9))
    return "No map has a smaller lambda: " + bound.reason + '.';
  if (result.lambda <= problem.target)
    return "Lambda is within the target, so the map avoids faces and moves instead.";
  const std::string known =
      "No map has a lambda below " + digits(result.bound) + ": " + bound.reason + '.';
  if (result.lambda <= result.bound * 1.005)
    return "Lambda is within 1/2 % of the least, so the map avoids faces and moves instead. " +
           known;
  return "The search found no better map. " + known;
}

void count_faces(BlockMap& result, const Problem& problem, const AssignOptions& options) {
  const auto add = [&](int i, int j, double weight) {
    result.faces += weight;
    if (at(result.map, i) != at(result.map, j)) result.faces_cut += weight;
  };
  if (const auto* edges = std::get_if<BlockEdges>(&options.place)) {
    for (std::size_t k = 0; k < edges->pairs.size(); ++k)
      add(edges->pairs[k][0], edges->pairs[k][1], edges->weights.empty() ? 1 : edges->weights[k]);
    return;
  }
  for (int i = 0; i < problem.blocks; ++i)
    problem.graph.neighbours(i, [&](int j, std::int64_t) {
      if (i < j) add(i, j, 1);
    });
}

BlockMap certify(const Problem& problem, const AssignOptions& options, std::vector<int> map,
                 const Bound& bound) {
  BlockMap result;
  result.map = std::move(map);
  std::vector<std::int64_t> loads(static_cast<std::size_t>(problem.ranks) *
                                  static_cast<std::size_t>(problem.phases));
  std::int64_t moved = 0;
  for (int i = 0; i < problem.blocks; ++i) {
    const int r = at(result.map, i);
    for (int p = 0; p < problem.phases; ++p)
      at(loads, std::int64_t{r} * problem.phases + p) += problem.cost(p, i);
    if (!problem.from.empty() && at(problem.from, i) >= 0 && at(problem.from, i) != r)
      moved += at(problem.bytes, i);
  }
  result.lambda = lambda_of(problem, loads);
  constexpr double rounding = 1e-9;
  if (bound.lambda > result.lambda * (1 + rounding))
    throw Error(ErrorKind::internal, Where{refuse.stage},
                "A map is more even than its bound says is possible.",
                "Report this, with the costs and the options.");
  result.bound = std::min(bound.lambda, result.lambda);
  result.gap = result.lambda / result.bound - 1;
  result.moved_bytes = static_cast<double>(moved) * problem.byte;
  result.least_moved_bytes =
      static_cast<double>(least_moved_bytes(problem, std::max(problem.target, result.lambda))) *
      problem.byte;
  count_faces(result, problem, options);
  result.reason = reason_of(result, problem, bound);
  return result;
}

}  // namespace

}  // namespace assigning

BlockMap assign(std::span<const double> costs, const AssignOptions& options) {
  const assigning::Problem problem = assigning::problem_of(costs, options);
  assigning::check_caps(problem);
  assigning::Assigner assigner(problem);
  std::vector<int> map = assigner.run();
  return assigning::certify(problem, options, std::move(map), assigner.bound());
}

BlockMap assess(std::span<const double> costs, std::span<const int> map,
                const AssignOptions& options) {
  using assigning::at;
  const assigning::Problem problem = assigning::problem_of(costs, options);
  if (std::ssize(map) != problem.blocks)
    assigning::refuse("The map has " + std::to_string(map.size()) + " ranks for " +
                          std::to_string(problem.blocks) + " blocks.",
                      "Give one rank per block.");
  for (int i = 0; i < problem.blocks; ++i)
    if (at(map, i) < 0 || at(map, i) >= problem.ranks)
      assigning::refuse("The map gives block " + std::to_string(i) + " to rank " +
                            std::to_string(at(map, i)) + " of " + std::to_string(problem.ranks) +
                            ".",
                        "Ranks have the numbers 0 to one less than their number.");
  const std::vector<std::int64_t> aims(static_cast<std::size_t>(problem.phases),
                                       assigning::one_share);
  const assigning::Search search(problem, aims, {map.begin(), map.end()});
  if (!search.keeps_caps())
    assigning::refuse("The map breaks a cap.", "Give a map that keeps the caps, or higher caps.");
  return assigning::certify(problem, options, search.map(), assigning::bound_of(problem));
}

}  // namespace evenkeel
