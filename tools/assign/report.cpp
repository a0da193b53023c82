#include "assign/input.hpp"
#include "files/numbers.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace evenkeel::tool {

namespace {

// In percent. Rounding of lambda and its bound shall not show.
double gap_percent(const BlockMap& found) { return std::round(found.gap * 1e8) / 1e6; }

std::string as_json(const BlockInput& input, const BlockMap& found, double seconds) {
  const nlohmann::ordered_json json = {{"blocks", input.blocks()},
                                       {"phases", input.options.phases},
                                       {"ranks", input.options.ranks},
                                       {"lambda", found.lambda},
                                       {"bound", found.bound},
                                       {"gap_percent", gap_percent(found)},
                                       {"faces", found.faces},
                                       {"faces_cut", found.faces_cut},
                                       {"moved_bytes", found.moved_bytes},
                                       {"least_moved_bytes", found.least_moved_bytes},
                                       {"reason", found.reason},
                                       {"seconds", seconds}};
  return json.dump(2) + '\n';
}

std::string as_text(const BlockInput& input, const BlockMap& found, double seconds) {
  std::ostringstream text = report_stream();
  text << "blocks     " << input.blocks();
  if (input.options.phases > 1) text << ", in " << input.options.phases << " phases";
  text << "\nranks      " << input.options.ranks << '\n';
  text << "lambda     " << found.lambda << " (1 is perfect)\n";
  text << "bound      " << found.bound << " (no map has a smaller lambda)\n";
  text << "gap        " << rounded(gap_percent(found), 3) << " %\n";
  text << "faces cut  " << found.faces_cut << " of " << found.faces << '\n';
  if (!input.from.empty())
    text << "moved      " << found.moved_bytes << " bytes (at least " << found.least_moved_bytes
         << ")\n";
  text << "reason     " << found.reason << '\n';
  text << "seconds    " << rounded(seconds, 3) << '\n';
  return text.str();
}

}  // namespace

std::string report_of(const AssignArguments& asked, const BlockInput& input, const BlockMap& found,
                      double seconds) {
  return asked.json ? as_json(input, found, seconds) : as_text(input, found, seconds);
}

}  // namespace evenkeel::tool
