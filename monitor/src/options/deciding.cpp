// Options of decisions: the trigger, and the numbers that decisions use.
#include "decide/decision.hpp"
#include "options/table.hpp"

namespace evenkeel::detail {

namespace {

constexpr int most_epoch_steps = 1'000'000;

std::string print_trigger(const Options& options) { return to_text(options.trigger); }

bool parse_trigger(std::string_view text, Options& options, const Options& code) {
  options.trigger = trigger_from_text(std::string(text));
  if (is_of_application(options.trigger) && is_of_application(code.trigger))
    options.trigger = code.trigger;
  return true;
}

bool trigger_makes_sense(const Options& options) {
  check(options.trigger);
  return true;
}

// --- Shifts --------------------------------------------------------------------------------------

bool shift_rounds_make_sense(const Options& options) {
  constexpr int most = 1000;
  if (options.shift.rounds < 0 || options.shift.rounds > most) return false;
  const bool can_shift = places_along_curve(options.method) || places_by_graph(options.method);
  if (options.shift.rounds == 0 || can_shift) return true;
  refuse_option("shift_rounds is " + print(options.shift.rounds) + ", but the method is " +
                    to_text(options.method) + ", whose domains are not ranges of a curve.",
                "Choose hilbert, morton or snake, or shift_rounds = 0.");
}

constexpr std::array deciding_rows = {
    Descriptor{"trigger", "a trigger", &print_trigger, &parse_trigger, &trigger_makes_sense},
    describe<&Options::shift, &Shift::rounds>(
        "shift_rounds", "0 (off), or a whole number up to 1000", &shift_rounds_make_sense),
    describe<&Options::shift, &Shift::penalty>(
        "shift_penalty", "a number of at least 1",
        [](const Options& o) { return o.shift.penalty >= 1 && std::isfinite(o.shift.penalty); }),
    describe<&Options::floor_percent>(
        "floor_percent", "a number from 0 (off) to below 100",
        [](const Options& o) { return o.floor_percent >= 0 && o.floor_percent < 100; }),
    describe<&Options::least_coverage>(
        "least_coverage", "a number from 0 (off) to 1",
        [](const Options& o) { return o.least_coverage >= 0 && o.least_coverage <= 1; }),
    describe<&Options::horizon>("horizon", "a whole number of at least 0 (unknown)",
                                [](const Options& o) { return o.horizon >= 0; }),
    describe<&Options::expected_cost>(
        "expected_cost", "a number of at least 0",
        [](const Options& o) { return o.expected_cost >= 0 && std::isfinite(o.expected_cost); }),
    describe<&Options::epoch_steps>(
        "epoch_steps", "0 (as the trigger asks for), or a whole number from 6 to 1000000",
        [](const Options& o) {
          return o.epoch_steps == 0 ||
                 (o.epoch_steps >= least_epoch_steps && o.epoch_steps <= most_epoch_steps);
        }),
    describe<&Options::warmup_steps>("warmup_steps", "a whole number of at least 0",
                                     [](const Options& o) { return o.warmup_steps >= 0; }),
    describe<&Options::cooldown_steps>("cooldown_steps", "a whole number of at least 0",
                                       [](const Options& o) { return o.cooldown_steps >= 0; }),
};
static_assert(least_epoch_steps == 6, "as the text above says");

}  // namespace

std::span<const Descriptor> deciding_options() { return deciding_rows; }

}  // namespace evenkeel::detail
