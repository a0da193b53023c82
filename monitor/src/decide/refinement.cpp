#include "decide/refinement.hpp"

#include "decide/decision.hpp"

namespace evenkeel {

namespace {

constexpr double growth = 1.5;      // factor of the penalty after a shift that went too far
constexpr double most_penalty = 8;  // with a greater penalty, a shift moves hardly anything

// One look whose level is somewhat above the usual one may be noise; three in a row are not.
constexpr std::int64_t no_chance = 3;
constexpr std::int64_t remembered = 8;  // looks

bool is_strange(const ShiftCourse& refinement, double level, double floor) noexcept {
  return level > 1.5 * refinement.usual + floor;
}
bool is_very_strange(const ShiftCourse& refinement, double level, double floor) noexcept {
  return level > 3 * refinement.usual + 4 * floor;
}

void begin_anew(ShiftCourse& refinement, const LevelSeen& seen, double chosen_penalty) noexcept {
  refinement.rounds = refinement.is_over = refinement.strange = 0;
  refinement.penalty = chosen_penalty;
  refinement.best = refinement.usual = seen.level;
  refinement.best_generation = seen.generation;
  refinement.looks = 1;
  refinement.before = -1;
}

void observe_first(ShiftCourse& refinement, const LevelSeen& seen, double chosen_penalty) noexcept {
  refinement.usual = seen.level;
  if (refinement.before >= 0 && seen.level > refinement.before)
    refinement.penalty =
        std::min(std::max(most_penalty, chosen_penalty), growth * refinement.penalty);
  if (refinement.before < 0 && refinement.is_over == 0) refinement.cut_level = seen.level;
  if (refinement.best < 0 || seen.level < refinement.best) {
    refinement.best = seen.level;
    refinement.best_generation = seen.generation;
  }
}

}  // namespace

bool observe(ShiftCourse& refinement, const LevelSeen& seen, double chosen_penalty,
             double floor) noexcept {
  if (refinement.penalty <= 0) refinement.penalty = chosen_penalty;
  if (refinement.looks == 0) {
    refinement.looks = 1;
    observe_first(refinement, seen, chosen_penalty);
    return false;
  }
  refinement.strange = is_strange(refinement, seen.level, floor) ? refinement.strange + 1 : 0;
  if (refinement.strange >= no_chance || is_very_strange(refinement, seen.level, floor)) {
    begin_anew(refinement, seen, chosen_penalty);
    return true;
  }
  if (refinement.strange > 0) return false;
  refinement.looks = std::min(refinement.looks + 1, remembered);
  refinement.usual += (seen.level - refinement.usual) / static_cast<double>(refinement.looks);
  if (refinement.best_generation == seen.generation) refinement.best = refinement.usual;
  return false;
}

NextStep next_step(const ShiftCourse& refinement, const LevelSeen& seen, std::int64_t rounds,
                   bool has_changed) noexcept {
  if (has_changed && (refinement.cut_level < 0 || seen.level > refinement.cut_level))
    return NextStep::cut_anew;
  if (refinement.is_over != 0) return NextStep::rest;
  if (refinement.rounds < rounds) return NextStep::shift;
  const bool is_best = refinement.best_generation == seen.generation;
  return is_best || refinement.best >= refinement.usual ? NextStep::rest : NextStep::go_back;
}

void rebalanced(ShiftCourse& refinement, std::int64_t before, std::int64_t generation,
                RebalanceKind kind) noexcept {
  if (kind == RebalanceKind::fresh || kind == RebalanceKind::application) {
    refinement = {};
    return;
  }
  if (kind == RebalanceKind::shift) ++refinement.rounds;
  if (kind == RebalanceKind::shift && generation == before) {
    refinement.is_over = 1;  // further shifts would not move these offsets either
    refinement.wanted = 0;
    return;
  }
  const double usual = refinement.usual;
  refinement.wanted = refinement.looks = refinement.strange = 0;
  refinement.usual = 0;
  refinement.before = -1;
  if (kind == RebalanceKind::earlier) {
    refinement.is_over = 1;
    refinement.best_generation = generation;
    return;
  }
  refinement.before = usual;
}

}  // namespace evenkeel
