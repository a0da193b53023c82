#pragma once

// What the trigger cost_aware remembers. A level is a share of the mean load: u = max / mean - 1.
// docs/triggers.md says what each member is used for.

#include <array>
#include <cstddef>
#include <cstdint>

namespace evenkeel {

// How much more uneven than a fresh cut a cut is after some steps, its age: means over the last
// looks, by the octave of the age.
struct Ageing {
  static constexpr std::size_t octaves = 16;
  std::array<double, octaves> age{};    // steps
  std::array<double, octaves> level{};  // above that of a fresh cut
  std::array<double, octaves> known{};  // how much each has seen; 0: nothing
};

struct Outlook {
  // Since the last rebalance, or since the start.
  std::int64_t looks = 0;
  double steps = 0;                   // measured
  std::array<double, 16> curable{};   // what a fresh cut would take off u; of the last looks, the
  std::int64_t curable_looks = 0;     // latest first
  double lost = 0;                    // mean steps that were lost to what could have been cured
  double behind_first = 0;            // and against the domains that the run began with
  std::int64_t awaits_judgement = 0;  // 1: a fresh cut was made, and no look has seen it yet

  // Over the run.
  double measured = 0;             // steps
  std::array<double, 15> bends{};  // |second differences| of `curable`, the latest first
  std::int64_t bends_known = 0;
  double variance = 0;  // of a rank's load from step to step, smoothed
  std::int64_t variance_looks = 0;
  double fresh = -1;  // u of a fresh cut, as last known; below 0: never known
  double left = -1;   // u that the cut in use had at first; below 0: not known, or it is no cut
  Ageing ageing = {};

  // u of the domains that the run began with, above that of a fresh cut, smoothed.
  double first_above = 0;
  std::int64_t first_looks = 0;

  // u above what given weights say, smoothed: cuts by them will have it too.
  double misfit = 0;
  std::int64_t misfit_looks = 0;  // 0: there are no weights

  // Without weights: how much more u fresh cuts have had than was foreseen.
  double shortfall = 0;         // expected of the next fresh cut
  double last_shortfall = -1;   // of the last one; below 0: there was none
  double shortfall_ratio = -1;  // of one to the one before it, at most 1; below 0: not known
  std::int64_t judged_at = -1;  // step
  double patience = 200;        // in costs: how long until the shortfall is put to the test

  // In nanoseconds: the cost of a survey, and what may be spent on the next ones.
  std::int64_t surveys = 0;
  double survey_cost = 0, survey_credit = 0;

  std::int64_t first_generation = -1;     // of the domains that the run began with
  std::int64_t previous_generation = -1;  // of those that the last rebalance has replaced
  std::int64_t wanted_generation = -1;    // to go back to, as decided; -1: a fresh cut

  std::int64_t vain = 0;  // rebalances in a row that have left u as it was

  // u when the last rebalance was decided; u when the last return to earlier domains was decided,
  // below 0 once the return is judged; 1 if it did not help.
  double left_from = -1, returned_from = -1;
  std::int64_t is_return_vain = 0;

  std::int64_t calm_looks = 0;  // in a row that found nothing to do
  std::int64_t next_epoch = 6;  // steps until the next look: the more, the farther off a rebalance
};

}  // namespace evenkeel
