#pragma once

// The Errors that the documents promise, and the configurations that lead to them. Any other Error
// is a failure.

#include "monitor/drive/balancer/configurations/configuration.hpp"

namespace evenkeel::test {

enum class Trick { none, before_throws, domains_throw, after_throws, nan, wrong_length };

// A call, and the trick that the test plays on it.
struct Call {
  const char* name = "";
  Trick trick = Trick::none;
  bool has_domains = false;
};

struct Refusal {
  const char* text;
  bool (*is_due)(const Configuration& all, const Call& call);
  const char* since;
};

inline bool is_migration(const Call& call) { return std::string(call.name) == "migrate"; }

inline constexpr Refusal refusals[] = {
    {"The application threw an exception: not before.",
     [](const Configuration&, const Call& call) { return call.trick == Trick::before_throws; },
     "a hook before a move throws, and the move is undone"},
    {"The application threw an exception: not these domains.",
     [](const Configuration&, const Call& call) { return call.trick == Trick::domains_throw; },
     "a hook for new domains throws"},
    {"The application threw an exception: not after.",
     [](const Configuration&, const Call& call) { return call.trick == Trick::after_throws; },
     "a hook after a move throws"},
    {"is not finite.",
     [](const Configuration&, const Call& call) { return call.trick == Trick::nan; },
     "a NaN has no place"},
    {"objects, but the set has",
     [](const Configuration&, const Call& call) { return call.trick == Trick::wrong_length; },
     "a field has another length than the set"},
    {"migrate was called before there were domains.",
     [](const Configuration&, const Call& call) { return is_migration(call) && !call.has_domains; },
     "objects have no home before the first domains"},
    {"outside the given box",
     [](const Configuration& all, const Call& call) {
       return all.geometry.is_too_small && !is_migration(call);
     },
     "a given box is around all objects along axes that are not periodic"},
    {"The weights add up to more than a number can hold.",
     [](const Configuration& all, const Call& call) {
       return all.any(Weights::overflowing) && !is_migration(call);
     },
     "the sum of all weights is a double"},
    {" and least_objects is ",
     [](const Configuration& all, const Call& call) {
       return all.options.least_objects > 0 && !is_migration(call);
     },
     "objects are too few, or share places, groups and pins"},
    {" is pinned on rank ", [](const Configuration& all, const Call&) { return all.has_bonds(); },
     "a group cannot be on two ranks"},
    {"The box has no room for ",
     [](const Configuration& all, const Call& call) {
       return (all.has_widths() || all.has_cells()) && !is_migration(call);
     },
     "bisection finds no room for this many domains of this width, or of whole cells"},
    {" wide do not fit ",
     [](const Configuration& all, const Call& call) {
       return all.has_widths() && !is_migration(call);
     },
     "nor does a grid, which may have cells, too"},
    {"A grid of ",
     [](const Configuration& all, const Call& call) {
       return !all.grid_fits && !is_migration(call);
     },
     "a grid has as many domains as there are ranks"},
};

inline const Refusal* refusal_of(const std::string& text, const Configuration& all,
                                 const Call& call) {
  const auto found = std::ranges::find_if(refusals, [&](const Refusal& refusal) {
    return text.find(refusal.text) != std::string::npos && refusal.is_due(all, call);
  });
  return found == std::end(refusals) ? nullptr : found;
}

// Returns true if the Error came after the commit: then objects have moved, or domains are new.
inline bool is_after_the_commit(const std::string& text) {
  return text.find("The objects have moved, and all fields are complete.") != std::string::npos ||
         text.find("No object has moved, but the domains are new.") != std::string::npos;
}

}  // namespace evenkeel::test
