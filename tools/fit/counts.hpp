#pragma once

// `evenkeel fit --counts`: what a unit of each type of work costs, from how much of each the ranks
// had and how long they took, in files.

#include "files/byte_source.hpp"

#include <evenkeel/core/weights/work_model.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace evenkeel::tool {

struct CountTable {
  std::size_t types = 0;
  std::vector<double> counts;   // a row for each measurement, one after the other
  std::vector<double> seconds;  // one for each measurement
};

// A file with a row for each rank, a column for each type; and one with the seconds of each of
// these rows, in one column for each time that they were measured. An Error names the row that is
// wrong. `progress` may be empty.
CountTable read_counts(const std::string& counts_path, const std::string& seconds_path,
                       const ProgressOf& progress = {});

enum class FitMethod : int { robust, minimum_norm };

// An Error for a name that is none.
FitMethod fit_method_from(const std::string& name);

// `progress`: told the share of the work that is done; may be empty.
WorkEstimate fit_counts(const CountTable& table, FitMethod method,
                        const std::function<void(double done)>& progress = {});

std::string report_of(const CountTable& table, const WorkEstimate& fit, FitMethod method,
                      bool json);

}  // namespace evenkeel::tool
