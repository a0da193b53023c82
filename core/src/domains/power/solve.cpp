// The search for a power diagram: damped steps of Newton's method for the weights, and steps that
// move the anchors to the centroids of their cells (Lloyd). No step may leave a cell nearly empty,
// because a cell without points has no faces that would show how to fill it.

#include "domains/power/measure.hpp"
#include "domains/power/starts.hpp"

#include <evenkeel/core/weights/speeds.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>

namespace evenkeel {

namespace {

constexpr double slab = 0.2;
constexpr double least_share = 0.3;  // that a step must leave in each cell
constexpr double even = 1.1;         // the greatest mass / share of a state that is even

struct State {
  std::vector<PowerSite> sites;
  PowerMeasure now;
};

std::int64_t within(double weight) {
  const auto most = static_cast<double>(most_power_weight);
  return static_cast<std::int64_t>(std::round(std::clamp(weight, -most, most)));
}

std::vector<PowerSite> raised(std::vector<PowerSite> sites, std::span<const double> change,
                              double length) {
  for (std::size_t p = 0; p < sites.size(); ++p)
    sites[p].weight = within(static_cast<double>(sites[p].weight) + length * change[p]);
  return sites;
}

// The cells of heavy points are the last ones, and each has its anchor at its point. A power cell
// need not hold its anchor, so raises the weights of these cells until they hold their points, with
// a margin that small changes of other cells do not use up.
void hold_heavy(const PowerModel& model, std::size_t heavy, std::vector<PowerSite>& sites) {
  constexpr double margin = 0.02;  // of the square of the distance to the next site
  if (heavy == 0) return;
  const std::vector<PowerRival> rivals = rivals_of(model.lattice(), sites);
  for (std::size_t part = sites.size() - heavy; part < sites.size(); ++part) {
    const auto& at = sites[part].anchor;
    const std::array<double, 3> place = {double(at[0]), double(at[1]), double(at[2])};
    const double square = place[0] * place[0] + place[1] * place[1] + place[2] * place[2];
    double next = std::numeric_limits<double>::infinity(), distance = 0;
    for (const PowerRival& rival : rivals) {
      const double cost = rival.cost(place.data()) + square;  // distance^2 - weight
      if (rival.part == static_cast<int>(part) || cost >= next) continue;
      next = cost;
      distance = cost + static_cast<double>(sites[static_cast<std::size_t>(rival.part)].weight);
    }
    const std::int64_t least = within(margin * distance - next);
    sites[part].weight = std::max(sites[part].weight, least);
  }
}

class Solver {
 public:
  Solver(const PowerModel& model, std::vector<double> shares, std::size_t heavy)
      : model_(model), shares_(std::move(shares)), heavy_(heavy), all_(model.whole()) {}

  const std::vector<double>& shares() const noexcept { return shares_; }

  State state_of(std::vector<PowerSite> sites) const {
    hold_heavy(model_, heavy_, sites);
    PowerMeasure now = measure(model_, sites, slab);
    return {std::move(sites), std::move(now)};
  }

  // Returns true if the greatest mass / share falls to 1 + tolerance.
  bool solve(State& state, double tolerance, int most_steps) const {
    for (int step = 0; step < most_steps; ++step) {
      if (state.now.greatest(shares_) <= 1 + tolerance) return true;
      if (!improve(state)) return false;
    }
    return state.now.greatest(shares_) <= 1 + tolerance;
  }

  // Moves anchors to their centroids, by this part of the way. The weights change so that each
  // cell keeps its cost at its centroid.
  bool move_anchors(State& state, double part) const {
    for (int halvings = 0; halvings < 4; ++halvings, part /= 2) {
      State next = state_of(moved(state, part));
      if (next.now.least(shares_) < least_share) continue;
      state = std::move(next);
      return true;
    }
    return false;
  }

  // Improves the diagram of a start: keeps the state of least energy among those that are even.
  State improved(std::vector<PowerSite> sites, int rounds) const {
    State state = state_of(std::move(sites));
    solve(state, even - 1, 40);
    State best = state;
    for (int round = 0; round < rounds; ++round) {
      if (!move_anchors(state, 1)) break;
      solve(state, 0.02, 2);
      if (is_better(state, best)) best = state;
    }
    return best;
  }

  // Among even states, the one of less energy is better.
  bool is_better(const State& one, const State& other) const {
    const double lambda = one.now.greatest(shares_), its = other.now.greatest(shares_);
    return lambda <= even && its <= even ? one.now.energy < other.now.energy : lambda < its;
  }

 private:
  // The function of the weights whose greatest value is at the wanted masses.
  double dual(const State& state) const {
    double sum = state.now.energy;
    for (std::size_t p = 0; p < shares_.size(); ++p)
      sum += static_cast<double>(state.sites[p].weight) * (shares_[p] * all_ - state.now.mass[p]);
    return sum;
  }
  double error(const State& state) const {
    double sum = 0;
    for (std::size_t p = 0; p < shares_.size(); ++p) {
      const double excess = state.now.mass[p] / (shares_[p] * all_) - 1;
      sum += excess * excess;
    }
    return std::sqrt(sum);
  }

  // One step of Newton's method. Returns false if no length of the step is an improvement.
  bool improve(State& state) const {
    std::vector<double> gains(shares_.size());
    for (std::size_t p = 0; p + heavy_ < gains.size(); ++p)
      gains[p] = shares_[p] * all_ - state.now.mass[p];
    return improve(state, gains, false) || improve(state, gains, true);
  }

  bool improve(State& state, const std::vector<double>& gains, bool holds_back) const {
    const std::vector<double> change = weights_to_gain(state.now, gains, holds_back);
    const double slope = std::inner_product(change.begin(), change.end(), gains.begin(), 0.0);
    const double before = dual(state), error_before = error(state);
    const double floor = least_share * std::min(state.now.least(shares_), 1.0);
    double length = 1;
    for (int tries = 0; tries < (holds_back ? 10 : 4); ++tries, length *= 0.4) {
      State next = state_of(raised(state.sites, change, length));
      if (next.now.least(shares_) < floor) continue;
      if (dual(next) - before < 0.1 * length * slope &&
          error(next) > error_before * (1 - 0.2 * length))
        continue;
      state = std::move(next);
      return true;
    }
    return false;
  }

  std::vector<PowerSite> moved(const State& state, double part) const {
    std::vector<PowerSite> sites = state.sites;
    for (std::size_t p = 0; p + heavy_ < sites.size(); ++p) {
      double change = 0;
      for (int axis = 0; axis < model_.lattice().dimensions(); ++axis) {
        const auto d = static_cast<std::size_t>(axis);
        const double offset = state.now.centroid[d][p],
                     last = model_.lattice().last_coordinate(axis);
        double step = std::round(part * offset);
        const double at = sites[p].anchor[d] + step;
        double inside = std::clamp(at, 0.0, last);
        if (model_.lattice().wraps(axis) && at != inside)
          inside = at + (at < 0 ? last + 1 : -last - 1);
        else
          step = inside - sites[p].anchor[d];
        sites[p].anchor[d] = static_cast<std::int32_t>(inside);
        change += (offset - step) * (offset - step) - offset * offset;
      }
      sites[p].weight = within(static_cast<double>(sites[p].weight) + change);
    }
    return sites;
  }

  const PowerModel& model_;
  std::vector<double> shares_;
  std::size_t heavy_;
  double all_;
};

// The points that are so heavy that each needs a cell of its own. If speeds differ, the heaviest
// point is compared with the fastest cell, the next one with the next cell, and so on.
std::vector<std::size_t> heavy_points(const PowerModel& model, std::span<const double> speeds) {
  constexpr double heavy = 0.9;
  const double sum = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  const auto fills = [&](std::size_t point, double speed) {
    return model.mass(point) * sum > heavy * (model.whole() * speed);
  };
  const double slowest = *std::min_element(speeds.begin(), speeds.end());
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < model.size(); ++i)
    if (fills(i, slowest)) points.push_back(i);
  if (!unless_equal(speeds).empty()) {
    std::vector<double> fastest(speeds.begin(), speeds.end());
    std::ranges::sort(fastest, std::greater<>());
    std::ranges::stable_sort(points, std::greater<>(),
                             [&](std::size_t i) { return model.mass(i); });
    std::size_t count = 0;
    while (count < std::min(points.size(), fastest.size()) && fills(points[count], fastest[count]))
      ++count;
    points.resize(count);
    std::ranges::sort(points);
  }
  if (points.size() >= speeds.size()) points.clear();
  return points;
}

PowerSite site_at(const PowerModel& model, std::size_t point, std::int64_t weight) {
  PowerSite site{{}, weight};
  for (std::size_t d = 0; d < 3; ++d)
    site.anchor[d] = static_cast<std::int32_t>(model.at(point, d));
  return site;
}

// The sites at the centroids of parts. Parts of equal weight that are at their centroids are never
// empty.
std::vector<PowerSite> sites_of(const PowerModel& model, const std::vector<int>& part_of,
                                std::size_t parts) {
  std::vector<PowerSite> sites(parts);
  std::vector<double> mass(parts);
  std::array<std::vector<double>, 3> sums;
  for (auto& along : sums) along.resize(parts);
  for (std::size_t i = 0; i < model.size(); ++i) {
    const auto part = static_cast<std::size_t>(part_of[i]);
    mass[part] += model.mass(i);
    for (std::size_t d = 0; d < 3; ++d) sums[d][part] += model.mass(i) * model.at(i, d);
  }
  for (std::size_t p = 0; p < parts; ++p)
    for (std::size_t d = 0; d < 3; ++d)
      sites[p].anchor[d] = static_cast<std::int32_t>(std::floor(sums[d][p] / mass[p]));
  return sites;
}

// The sites at the middle point of each part along the curve. If points are extremely dense in some
// places, centroids are between these places, and too few cells share them.
std::vector<PowerSite> sites_in(const PowerModel& model, const std::vector<int>& part_of,
                                std::size_t parts) {
  std::vector<PowerSite> sites(parts);
  std::vector<double> rest(parts);
  for (std::size_t i = 0; i < model.size(); ++i)
    rest[static_cast<std::size_t>(part_of[i])] += model.mass(i) / 2;
  for (std::size_t i = 0; i < model.size(); ++i) {
    double& until_middle = rest[static_cast<std::size_t>(part_of[i])];
    if (until_middle > 0 && until_middle <= model.mass(i))
      sites[static_cast<std::size_t>(part_of[i])] = site_at(model, i, 0);
    until_middle -= model.mass(i);
  }
  return sites;
}

// The shares of parts, if the last parts hold the heavy points.
std::vector<double> shares_with(const PowerModel& model, std::span<const double> speeds,
                                const std::vector<std::size_t>& heavy) {
  const double all = model.whole();
  double rest = 1;
  std::vector<double> shares(speeds.size());
  const std::size_t others = speeds.size() - heavy.size();
  for (std::size_t h = 0; h < heavy.size(); ++h) {
    shares[others + h] = model.mass(heavy[h]) / all;
    rest -= shares[others + h];
  }
  const std::span<const double> theirs = speeds.first(others);
  const double speed = std::accumulate(theirs.begin(), theirs.end(), 0.0);
  for (std::size_t p = 0; p < others; ++p) shares[p] = rest * speeds[p] / speed;
  return shares;
}

// Each point is the anchor of a cell; if speeds differ, of one of the last ones, which are the
// fastest. The other cells cost too much to own anything.
PowerDiagram one_cell_each(const PowerModel& model, std::span<const double> speeds) {
  const std::size_t parts = speeds.size(), points = std::min(model.size(), parts);
  const std::size_t skipped = unless_equal(speeds).empty() ? 0 : parts - points;
  const double speed = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  PowerDiagram diagram;
  for (std::size_t p = 0; p < parts; ++p) {
    const std::size_t point = p - skipped;  // wraps around below `skipped`
    diagram.sites.push_back(
        site_at(model, std::min(point, model.size() - 1), point < points ? 0 : -most_power_weight));
    diagram.shares.push_back(speeds[p] / speed);
  }
  diagram.speeds.assign(speeds.begin(), speeds.end());
  return diagram;
}

// With many parts the search takes long, so there are fewer steps that move anchors, and only one
// start. On five clouds of 64 parts the curve alone was at most 1 % worse.
constexpr std::size_t many_parts = 256;
int rounds_for(std::size_t parts) { return parts <= many_parts ? 10 : 5; }
using Start = std::vector<int> (*)(const PowerModel& model, std::span<const double> speeds);
std::vector<Start> starts_for(std::size_t parts) {
  if (parts > many_parts) return {&parts_along_curve};
  return {&parts_along_curve, &parts_by_bisection};
}

// The tolerance that suits the number of points in a part.
double tolerance_for(const PowerModel& model, std::size_t parts, double wanted) {
  return std::max(wanted, 1.5 * static_cast<double>(parts) / static_cast<double>(model.size()));
}

}  // namespace

std::size_t points_for(std::size_t parts) { return (parts <= many_parts ? 256 : 128) * parts; }

PowerDiagram new_diagram(const PowerModel& model, std::span<const double> speeds,
                         double tolerance) {
  const std::size_t parts = speeds.size();
  if (model.size() <= parts) return one_cell_each(model, speeds);
  std::vector<std::size_t> heavy = heavy_points(model, speeds);
  PowerModel others(model.lattice());
  for (std::size_t i = 0, h = 0; i < model.size(); ++i)
    if (h < heavy.size() && heavy[h] == i)
      ++h;
    else
      others.add(model.place(i), model.mass(i));
  const std::size_t free = parts - heavy.size();
  if (others.size() < free) return one_cell_each(model, speeds);
  if (!unless_equal(speeds).empty())  // the heaviest point gets the fastest cell
    std::ranges::stable_sort(heavy, {}, [&](std::size_t point) { return model.mass(point); });
  const std::span<const double> of_others = speeds.first(free);
  const Solver solver(model, shares_with(model, speeds, heavy), heavy.size());
  std::optional<State> best;
  const auto try_from = [&](std::vector<PowerSite> sites) {
    for (const std::size_t point : heavy) sites.push_back(site_at(model, point, 0));
    State state = solver.improved(std::move(sites), rounds_for(parts));
    if (!best || solver.is_better(state, *best)) best = std::move(state);
  };
  for (const Start start : starts_for(parts))
    try_from(sites_of(others, start(others, of_others), free));
  if (best->now.greatest(solver.shares()) > even)
    try_from(sites_in(others, parts_along_curve(others, of_others), free));
  solver.solve(*best, tolerance_for(model, parts, tolerance), 20);
  return {std::move(best->sites), solver.shares(), {speeds.begin(), speeds.end()}, heavy.size()};
}

std::optional<PowerDiagram> followed(const PowerModel& model, std::vector<PowerSite> sites,
                                     std::span<const double> speeds, double tolerance) {
  constexpr double part = 0.1, enough = 1.1;
  const std::size_t parts = sites.size();
  if (model.size() <= parts || !heavy_points(model, speeds).empty()) return std::nullopt;
  const Solver solver(model, shares_with(model, speeds, {}), 0);
  State state = solver.state_of(std::move(sites));
  solver.move_anchors(state, part);
  solver.solve(state, tolerance_for(model, parts, tolerance), 30);
  if (state.now.greatest(solver.shares()) > enough) return std::nullopt;
  return PowerDiagram{
      std::move(state.sites), solver.shares(), {speeds.begin(), speeds.end()}, 0, false};
}

double correct(const PowerModel& model, PowerDiagram& diagram, std::vector<double> gains,
               double length, bool holds_back) {
  for (std::size_t p = 0; p < gains.size(); ++p)
    gains[p] = p + diagram.heavy < gains.size() ? gains[p] * model.whole() : 0;
  constexpr double much = 0.1;  // a step must not add more to the heaviest cell of the model
  constexpr int most_tries = 8;
  const PowerMeasure now = measure(model, diagram.sites, slab);
  const std::vector<double> change = weights_to_gain(now, std::move(gains), holds_back);
  const double most = now.greatest(diagram.shares) + much;
  for (int tries = 0;; ++tries, length /= 4) {
    std::vector<PowerSite> sites = raised(diagram.sites, change, length);
    hold_heavy(model, diagram.heavy, sites);
    if (tries < most_tries && measure(model, sites, 0).greatest(diagram.shares) > most) continue;
    diagram.sites = std::move(sites);
    return length;
  }
}

}  // namespace evenkeel
