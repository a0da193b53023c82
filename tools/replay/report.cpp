#include "replay/report.hpp"

#include "files/numbers.hpp"

#include <nlohmann/json.hpp>

#include <iomanip>

namespace evenkeel::tool {

namespace {

double percent_above(const Optimum& optimum, double total) {
  return optimum.total > 0 ? 100 * (total - optimum.total) / optimum.total : 0;
}

std::string as_json(const ChainReplayOptions& options, const ChainReplay& replay) {
  const nlohmann::ordered_json json = {{"trigger", to_text(options.trigger)},
                                       {"total", replay.total},
                                       {"ideal", replay.ideal},
                                       {"never", replay.never},
                                       {"optimum", replay.optimum.total},
                                       {"rebalances", replay.rebalances},
                                       {"optimum_rebalances", replay.optimum.schedule},
                                       {"above_optimum_percent", replay.above_optimum_percent()}};
  return json.dump(2) + '\n';
}

std::string as_text(const ChainReplayOptions& options, const ChainReplay& replay) {
  std::ostringstream text = report_stream();
  const auto line = [&](const char* name, double total) -> std::ostream& {
    return text << name << total << " (" << std::showpos << std::setprecision(3)
                << percent_above(replay.optimum, total) << std::noshowpos << std::setprecision(6)
                << " % of the optimum)\n";
  };
  text << "trigger    " << to_text(options.trigger) << '\n';
  line("total      ", replay.total);
  line("never      ", replay.never);
  text << "optimum    " << replay.optimum.total << '\n';
  line("ideal      ", replay.ideal);
  text << "rebalances " << text_of(replay.rebalances, ", before step", 12) << '\n';
  text << "of optimum " << text_of(replay.optimum.schedule, ", before step", 12) << '\n';
  return text.str();
}

}  // namespace

double ChainReplay::above_optimum_percent() const { return percent_above(optimum, total); }

std::string report_of(const ChainReplayOptions& options, const ChainReplay& replay) {
  return options.json ? as_json(options, replay) : as_text(options, replay);
}

}  // namespace evenkeel::tool
