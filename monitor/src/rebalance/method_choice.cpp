#include "rebalance/method_choice.hpp"
#include "rebalance/stage.hpp"

#include "options/place_options.hpp"

#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/place/choice.hpp>

#include <algorithm>
#include <cmath>

namespace evenkeel {

namespace {

// The methods that the application can work with, and that follow the options of borders.
std::vector<Method> candidates_of(const Options& options) {
  constexpr std::array<double, 3> none = {};
  std::vector<Method> candidates;
  for (const Method& method : method_candidates) {
    const bool has_rules = options.cell_size != none || options.least_width != none;
    if (has_rules && !is_among(method, Methods::boxes)) continue;
    if (is_among(method, options.methods)) candidates.push_back(method);
  }
  return candidates;
}

// The cost per step of this rank's kernels that exchange ghosts, in nanoseconds.
double exchange_time(const RankMeasurements& measured) {
  double time = 0;
  for (std::size_t k = 0; k < std::min(measured.kernels.size(), measured.kernel_options.size());
       ++k)
    if (measured.kernel_options[k].exchanges_ghosts) time += measured.kernels[k];
  return time * measured.speed;
}

// Collective.
StepCosts step_costs(const ChoiceTask& task, const MethodTrial& trial) {
  const Auto& asked = std::get<Auto>(task.options.method);
  StepCosts costs = {.halo = asked.halo, .ghost = usual_ghost_cost};
  // All ranks have the same options, mean and number of parts, so they go the same way.
  const double object = 1e-9 * task.costs.mean_per_object;  // seconds
  if (!(object > 0) || task.options.deterministic) return costs;
  costs.move = task.moves.seconds_per_object() /
               (object * static_cast<double>(std::max<std::int64_t>(1, task.steps)));
  if (asked.ghost_seconds > 0 || asked.neighbour_seconds > 0) {
    costs.ghost = asked.ghost_seconds / object;
    costs.neighbour = asked.neighbour_seconds / object;
    return costs;
  }
  const double spent = exchange_time(task.measured);
  const bool is_known = task.ranks.all_reduce(spent, Reduction::sum) > 0;
  if (is_known && parts_of(task.present) == task.ranks.size() && own_places(task.present)) {
    const std::vector<HaloSize> halos = trial.halos_under(task.present, asked.halo);
    const int part = decomposition_of(task.present).part_of(task.ranks.rank());
    const HaloCosts learned =
        halo_costs(task.ranks, halos[static_cast<std::size_t>(part)], 1e-9 * spent / object);
    if (learned.ghost > 0 || learned.neighbour > 0) {
      costs.ghost = learned.ghost;
      costs.neighbour = learned.neighbour;
    }
  }
  return costs;
}

std::string in_thousandths(double number) { return text_of(std::round(1e3 * number) / 1e3); }

std::string told_of(std::span<const MethodForecast> forecasts, std::size_t best, bool is_change) {
  std::string text = "auto " + std::string(is_change ? "takes " : "keeps ") +
                     to_text(forecasts[best].method) + "; a step / its mean work, by method:";
  for (const MethodForecast& each : forecasts) {
    text += &each == forecasts.data() ? " " : ", ";
    text += to_text(each.method) + ' ' + in_thousandths(each.step) + " (lambda " +
            in_thousandths(each.lambda) + ", " + text_of(std::round(each.greatest.ghosts)) +
            " ghosts, " + text_of(each.greatest.neighbours) + " neighbours)";
  }
  return text;
}

}  // namespace

ChosenMethod choose_method(const ChoiceTask& task, const Status& status) {
  PlaceOptions options;
  const Status ready = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    options = place_options_of(task.options, task.present);
  });
  const MethodTrial trial(task.ranks, ready, task.sets, task.region, options, task.weights);
  const StepCosts costs = step_costs(task, trial);
  std::vector<Method> candidates;
  std::vector<MethodForecast> forecasts;
  vote(task.ranks, attempt(stage_name, [&] {
         candidates = candidates_of(task.options);
         forecasts.reserve(candidates.size());
       }));
  std::ptrdiff_t present = -1;
  for (const Method& candidate : candidates) {
    if (parts_of(task.present) > 0 && candidate.index() == options.method.index())
      present = std::ssize(forecasts);
    forecasts.push_back(trial.forecast(candidate, costs, task.present));
  }
  const std::size_t best = best_of(forecasts, present);
  ChosenMethod chosen = {forecasts[best].method, {}};
  static_cast<void>(attempt(stage_name, [&] {
    chosen.told = told_of(forecasts, best, static_cast<std::ptrdiff_t>(best) != present);
  }));
  return chosen;
}

}  // namespace evenkeel
