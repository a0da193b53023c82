#include "replay/report.hpp"

#include <nlohmann/json.hpp>

#include <iomanip>
#include <locale>
#include <sstream>

namespace evenkeel::tool {

namespace {

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

// "12, before steps 3, 40, ..", with as many steps as fit a line.
std::string text_of(const Schedule& schedule) {
  constexpr std::size_t most = 12;
  std::string text = std::to_string(schedule.size());
  if (!schedule.empty()) text += schedule.size() == 1 ? ", before step " : ", before steps ";
  for (std::size_t i = 0; i < schedule.size() && i < most; ++i)
    text.append(i > 0 ? ", " : "").append(std::to_string(schedule[i]));
  if (schedule.size() > most) text += ", ..";
  return text;
}

std::string as_text(const ChainReplayOptions& options, const ChainReplay& replay) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << std::setprecision(6);
  const auto share = [&](double total) {
    const double optimum = replay.optimum.total;
    return optimum > 0 ? 100 * (total - optimum) / optimum : 0;
  };
  const auto line = [&](const char* name, double total) -> std::ostream& {
    return text << name << total << " (" << std::showpos << std::setprecision(3) << share(total)
                << std::noshowpos << std::setprecision(6) << " % of the optimum)\n";
  };
  text << "trigger    " << to_text(options.trigger) << '\n';
  line("total      ", replay.total);
  line("never      ", replay.never);
  text << "optimum    " << replay.optimum.total << '\n';
  line("ideal      ", replay.ideal);
  text << "rebalances " << text_of(replay.rebalances) << '\n';
  text << "of optimum " << text_of(replay.optimum.schedule) << '\n';
  return text.str();
}

}  // namespace

double ChainReplay::above_optimum_percent() const {
  return optimum.total > 0 ? 100 * (total - optimum.total) / optimum.total : 0;
}

std::string report_of(const ChainReplayOptions& options, const ChainReplay& replay) {
  return options.json ? as_json(options, replay) : as_text(options, replay);
}

}  // namespace evenkeel::tool
