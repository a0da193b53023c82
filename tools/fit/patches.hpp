#pragma once

// `evenkeel fit --patches`: what a refined patch costs by its size, from timings in a file.

#include "files/byte_source.hpp"

#include <evenkeel/core/weights/patch_model.hpp>

#include <string>
#include <vector>

namespace evenkeel::tool {

struct PatchTable {
  int dimensions = 2;
  std::vector<PatchTiming> timings;
};

// A file with a row for each patch: mx, my, seconds, or mx, my, mz, seconds. An Error names the row
// that is wrong. `progress` may be empty.
PatchTable read_patch_timings(const std::string& path, const Progress& progress = {});

std::string report_of(const PatchFit& fit, bool json);

}  // namespace evenkeel::tool
