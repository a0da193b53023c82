#pragma once

// `evenkeel fit --counts` finds the cost of a unit of each type of work. It reads from files how
// many units of each type the ranks had, and how many seconds they took.

#include "files/byte_source.hpp"

#include <evenkeel/core/weights/work_model.hpp>

#include <cstddef>
#include <vector>

namespace evenkeel::tool {

struct CountTable {
  std::size_t types = 0;
  std::vector<double> counts;   // a row for each measurement, one after the other
  std::vector<double> seconds;  // one for each measurement
};

// Reads two files. One has a row for each rank and a column for each type. The other has the
// seconds of these rows, in one column for each time that they were measured. An Error names the
// row that is wrong. `progress` may be empty.
CountTable read_counts(const std::string& counts_path, const std::string& seconds_path,
                       const ProgressOf& progress = {});

enum class FitMethod : int { robust, minimum_norm };

// Throws an Error if no method has this name.
FitMethod fit_method_from(const std::string& name);

// `progress` receives the share of the work that is done; it may be empty.
WorkEstimate fit_counts(const CountTable& table, FitMethod method,
                        const std::function<void(double done)>& progress = {});

std::string report_of(const CountTable& table, const WorkEstimate& fit, FitMethod method,
                      bool json);

}  // namespace evenkeel::tool
