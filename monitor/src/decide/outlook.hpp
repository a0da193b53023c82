#pragma once

// The memory of the trigger cost_aware. The level of a load is max / mean - 1.
// docs/triggers.md describes the use of each member.

#include <array>
#include <cstddef>
#include <cstdint>

namespace evenkeel {

// The level of a cut minus the level of a fresh cut, by the age of the cut: means over the last
// looks, one for each octave of the age.
struct Ageing {
  static constexpr std::size_t octaves = 16;
  std::array<double, octaves> age{};    // mean age in steps
  std::array<double, octaves> level{};  // mean level above that of a fresh cut
  std::array<double, octaves> known{};  // number of looks that the means count; 0 if unknown
};

// The value of a number that is not known yet.
inline constexpr double not_known = 1e18;

template <std::size_t size>
constexpr std::array<double, size> none_known() {
  std::array<double, size> none{};
  for (double& number : none) number = not_known;
  return none;
}

// The reduction of the level that a fresh cut would have brought at the looks since the last
// rebalance.
struct Curable {
  std::array<double, 16> latest = none_known<16>();  // the latest look first
  double lost = 0;                                   // mean steps lost to curable imbalance
};

// The scatter of the level and of loads.
struct Scatter {
  double variance = not_known;  // LoadSeen::variance, smoothed over looks
  // |Second differences| of Curable::latest, the latest first.
  std::array<double, 15> bends = none_known<15>();
};

// The domains that the run began with.
struct FirstDomains {
  std::int64_t generation = -1;   // negative if not known yet
  double above = not_known;       // their level minus the level of a fresh cut, smoothed
  double calm_level = not_known;  // when they were last calm, see Imbalances
  double behind = 0;              // mean steps lost against these domains since the last rebalance
};

// Imbalances of domains that had been calm: the lengths of those that have passed, and the last
// one.
struct Imbalances {
  std::array<double, 8> lengths = none_known<8>();  // in steps, the latest first
  std::int64_t generation = -1;                     // the last domains that were calm
  double calm_level = 0, calm_work = 0;             // their level at the last calm look, and the
                                                    // greatest mean load of a step while calm
  double began = -1;  // the step in which their imbalance began; negative if it has passed
  double peak = 0;    // its greatest level above that of a fresh cut
  double work = 0;    // the greatest mean load of a step since they were calm
};

// The shortfall of a fresh cut: its level minus the predicted level. If objects have weights,
// the shortfall is the measured level minus the level by these weights, smoothed, since a cut by
// the weights does not cure this part. Otherwise, it is observed after cuts.
struct Shortfall {
  double expected = 0;       // of the next fresh cut
  std::int64_t weighed = 0;  // number of looks with weights, up to 8; 0 without weights
  double last = 0;           // of the last cut
};

// The cost of a survey, and the credit for the next surveys, in nanoseconds.
struct Surveys {
  double cost = 0, credit = 0;  // both are 0 before the first survey
};

struct Outlook {
  Curable curable = {};
  double measured = 0;  // measured steps of the run
  double fresh = -1;    // the level of a fresh cut at the last survey; negative if never known
  // The level of the cut in use at its first look. It is no_cut before the first rebalance, or if
  // the last rebalance made no cut. It is new_cut or new_return until a look has measured the new
  // domains.
  static constexpr double no_cut = -1, new_cut = -2, new_return = -3;
  double left = no_cut;
  Ageing ageing = {};
  Scatter scatter = {};
  FirstDomains first = {};
  Imbalances imbalances = {};
  Shortfall shortfall = {};
  Surveys surveys = {};

  std::int64_t wanted_generation = -1;  // of the domains to return to; -1 for a fresh cut
  double left_from = -1;                // the level at the decision on the last rebalance
  std::int64_t is_return_vain = 0;      // 1 if a return to earlier domains did not help

  std::int64_t calm_looks = 0;  // looks in a row that found nothing to do
  std::int64_t next_epoch = 6;  // steps until the next look; more if a rebalance is unlikely soon
};

}  // namespace evenkeel
