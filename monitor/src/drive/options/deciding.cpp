// Options of deciding: the trigger, and what it goes by.
#include "agree/epoch.hpp"
#include "decide/decision.hpp"
#include "drive/options/table.hpp"

#include <cmath>

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

constexpr std::array rows = {
    Descriptor{"trigger", "a trigger", &print_trigger, &parse_trigger, &trigger_makes_sense},
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

std::span<const Descriptor> deciding_options() { return rows; }

}  // namespace evenkeel::detail
