#include "rebalance/inspection.hpp"
#include "rebalance/stage.hpp"

#include <evenkeel/backends/exec/compatibility.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/box/bounds.hpp>
#include <evenkeel/core/field/staging.hpp>
#include <evenkeel/core/weights.hpp>
#include <evenkeel/core/weights/bytes.hpp>
#include <evenkeel/core/weights/work_amounts.hpp>

namespace evenkeel {

namespace {

void require_usable(std::span<const Set> sets, const Inspection::Demands& demands) {
  if (demands.movable) check_movable(sets);
  for (const Set& set : sets) {
    const Space space = Space::where(set.position().memory);
    const Bounds found = bounds_here(space, set);
    if (demands.box) require_inside(*demands.box, demands.periodic, found);
    if (set.options().weight.given()) static_cast<void>(given_weights(space, set));
    if (set.options().bytes.given()) static_cast<void>(bytes_of_objects(space, set));
    if (set.options().type.given() || set.options().features.given())
      static_cast<void>(amounts_of(space, set));
  }
}

}  // namespace

bool Inspection::is_needed(const Options& options) {
  return !std::holds_alternative<Never>(options.trigger) || !options.control.empty();
}

Inspection::Demands Inspection::demands_of(const Options& options) {
  return {true, options.box, options.periodic, options.deterministic};
}

bool Inspection::is_due(bool deterministic, std::int64_t generation) const noexcept {
  constexpr std::int64_t share = 1000;
  return deterministic || has_refused_ || generation != generation_ ||
         (wall_nanoseconds() - ended_at_) / share >= took_;
}

Status Inspection::inspect(std::span<const Set> sets, const Demands& demands,
                           std::int64_t generation) {
  if (!exec::kokkos_is_running() || !is_due(demands.deterministic, generation)) return {};
  const exec::Region shown("evenkeel::inspection");
  const std::int64_t began = wall_nanoseconds();
  Status status = attempt(stage_name, [&] { require_usable(sets, demands); });
  generation_ = generation;
  has_refused_ = !status.ok();
  ended_at_ = wall_nanoseconds();
  took_ = ended_at_ - began;
  return status;
}

}  // namespace evenkeel
