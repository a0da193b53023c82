#pragma once

// Domains as people see them: planes through the box, cut into cells, and the rank that owns the
// middle of each. As large for many ranks as for few.

#include <vector>

namespace evenkeel {

// One plane through the box.
struct DomainSection {
  int across = 0, up = 1;  // axes of the plane
  double at = 0;           // in 3-D: where it is, along the other axis
  int columns = 0, rows = 0;
  std::vector<int> owners = {};  // row by row, from the lower corner

  friend bool operator==(const DomainSection&, const DomainSection&) = default;
};

// The box, and planes through it.
struct DomainSections {
  std::vector<double> low = {}, high = {};  // corners of the box
  std::vector<DomainSection> planes = {};   // one in 2-D, six in 3-D; none: not known

  friend bool operator==(const DomainSections&, const DomainSections&) = default;
};

}  // namespace evenkeel
