#include "decide/refinement.hpp"

#include "decide/decision.hpp"

#include <algorithm>

namespace evenkeel {

namespace {

constexpr double growth = 1.5;         // of the penalty, after a shift that has gone too far
constexpr double most_penalty = 8;     // beyond it a shift moves next to nothing
constexpr double changed_a_lot = 1.5;  // a level above this many times the first, and the floor

}  // namespace

void observe(Refinement& refinement, const Seen& seen, double chosen_penalty) noexcept {
  if (refinement.penalty <= 0) refinement.penalty = chosen_penalty;
  const bool is_first = refinement.first < 0;
  if (is_first) {
    refinement.first = seen.level;
    if (refinement.before >= 0 && seen.level > refinement.before)
      refinement.penalty =
          std::min(std::max(most_penalty, chosen_penalty), growth * refinement.penalty);
  }
  if (refinement.best_generation == seen.generation)
    refinement.best += (seen.level - refinement.best) / 2;  // one look may be lucky
  else if (is_first && (refinement.best < 0 || seen.level < refinement.best)) {
    refinement.best = seen.level;
    refinement.best_generation = seen.generation;
  }
}

NextStep next_step(const Refinement& refinement, const Seen& seen, std::int64_t rounds,
                   double floor) noexcept {
  if (seen.level > changed_a_lot * std::max(0.0, refinement.first) + floor)
    return NextStep::cut_anew;
  if (refinement.is_over != 0) return NextStep::rest;
  if (refinement.rounds < rounds) return NextStep::shift;
  const bool is_best = refinement.best_generation == seen.generation;
  return is_best || refinement.best >= seen.level ? NextStep::rest : NextStep::go_back;
}

void rebalanced(Refinement& refinement, std::int64_t before, std::int64_t generation,
                RebalanceKind kind) noexcept {
  const Refinement last = refinement;
  if (kind == RebalanceKind::fresh || kind == RebalanceKind::application) {
    refinement = {};
    return;
  }
  refinement.wanted = 0;
  refinement.first = refinement.before = -1;
  if (kind == RebalanceKind::earlier) {
    refinement.is_over = 1;
    refinement.best_generation = generation;
    return;
  }
  ++refinement.rounds;
  refinement.before = last.first;
  // Offsets that a shift leaves where they are would stay there.
  if (generation == before) refinement.is_over = 1;
}

}  // namespace evenkeel
