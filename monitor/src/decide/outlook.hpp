#pragma once

// The memory of the trigger cost_aware. A level is a share of the mean load: u = max / mean - 1.
// docs/triggers.md describes the use of each member.

#include <array>
#include <cstddef>
#include <cstdint>

namespace evenkeel {

// The level of a cut above that of a fresh one, by its age in steps: means over the last looks, by
// the octave of the age.
struct Ageing {
  static constexpr std::size_t octaves = 16;
  std::array<double, octaves> age{};    // steps
  std::array<double, octaves> level{};  // above that of a fresh cut
  std::array<double, octaves> known{};  // looks that count in each octave
};

// The value of a number that is not known yet.
inline constexpr double not_known = 1e18;

template <std::size_t size>
constexpr std::array<double, size> none_known() {
  std::array<double, size> none{};
  for (double& number : none) number = not_known;
  return none;
}

// The reduction of u by a fresh cut: at the last looks since a rebalance, the latest first.
struct Curable {
  std::array<double, 16> latest = none_known<16>();
  double lost = 0;  // mean steps lost to curable imbalance
};

// The scatter of u and of loads.
struct Scatter {
  double variance = not_known;  // of a rank's load from step to step, smoothed
  // |second differences| of the curable level, the latest first.
  std::array<double, 15> bends = none_known<15>();
};

// The domains that the run began with.
struct FirstDomains {
  std::int64_t generation = -1;  // negative if not known yet
  double above = not_known;      // their u above that of a fresh cut, smoothed
  double behind = 0;             // mean steps lost against them since the last rebalance
};

// The u of a fresh cut above the predicted one. For objects with weights, it is the u above that of
// the weights, smoothed: cuts by these weights will have it too. Otherwise it is the observed
// excess of cuts.
struct Shortfall {
  double expected = 0;       // of the next fresh cut
  std::int64_t weighed = 0;  // looks at weights; 0 without weights
  double last = 0;           // of the last cut
};

// In nanoseconds: the cost of a survey, and the credit for the next ones.
struct Surveys {
  double cost = 0, credit = 0;  // the cost is 0 before the first survey
};

struct Outlook {
  Curable curable = {};
  double measured = 0;  // steps of the run
  double fresh = -1;    // u of a fresh cut, as last known; negative if never known
  // The first u of the cut in use. It is negative if it is not known, if the last rebalance was no
  // cut, or if no look has seen the cut yet.
  static constexpr double no_cut = -1, new_cut = -2, new_return = -3;
  double left = no_cut;
  Ageing ageing = {};
  Scatter scatter = {};
  FirstDomains first = {};
  Shortfall shortfall = {};
  Surveys surveys = {};

  std::int64_t wanted_generation = -1;  // decided to be taken again; -1 for a fresh cut
  double left_from = -1;                // u at the decision on the last rebalance
  std::int64_t is_return_vain = 0;      // 1 if going back did not help

  std::int64_t calm_looks = 0;  // looks in a row that found nothing to do
  std::int64_t next_epoch = 6;  // steps until the next look: more if a rebalance is far off
};

}  // namespace evenkeel
