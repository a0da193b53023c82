#include "rebalance/mover.hpp"
#include "rebalance/stage.hpp"

namespace evenkeel {

MoveReport Mover::carry_out(const Plan& who, std::span<const Set> sets,
                            std::span<const SetShape> shapes, StageSeconds before,
                            std::int64_t step) {
  if (who.empty()) {
    MoveReport nothing;
    set_to_slowest(ranks_, before);
    nothing.seconds = std::move(before);
    return nothing;
  }
  MoveOptions moving;
  moving.staging_bytes = options_.staging_bytes;
  moving.messages_in_flight = options_.messages_in_flight;
  moving.origins = options_.origins;
  moving.seconds_before = std::move(before);
  moving.on_stage = [this](MoveStage now) {
    if (now == MoveStage::reserve) hooks_.run_before();
  };
  MoveReport report = move(ranks_, sets, shapes, who, moving);
  costs_.note_move(sets);
  moving_costs_.note(report, ranks_.size(), step);
  return report;
}

void Mover::run_after(const MoveReport& report) const {
  const Status status = attempt(
      stage_name, [&] { hooks_.run_after(report); }, ErrorKind::application);
  std::optional<Error> told;
  if (!status.ok())
    static_cast<void>(attempt(stage_name, [&] {
      const Error& error = *status.error();
      told.emplace(error.kind(), Where{error.where()}, error.problem(),
                   report.moved ? "The objects have moved, and all fields are complete."
                                : "No object has moved, but the domains are new.");
    }));
  vote(ranks_, told ? Status(*told) : status);
}

}  // namespace evenkeel
