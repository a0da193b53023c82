#pragma once

// `evenkeel fit --patches` finds how the cost of a refined patch depends on its size, from timings
// in a file.

#include "files/byte_source.hpp"

#include <evenkeel/extras/patches/patch_model.hpp>

#include <vector>

namespace evenkeel::tool {

struct PatchTable {
  int dimensions = 2;
  std::vector<PatchTiming> timings;
};

// Reads a file with a row for each patch: mx, my, seconds, or mx, my, mz, seconds. An Error names
// the row that is wrong. `progress` may be empty.
PatchTable read_patch_timings(const std::string& path, const Progress& progress = {});

std::string report_of(const PatchFit& fit, bool json);

}  // namespace evenkeel::tool
