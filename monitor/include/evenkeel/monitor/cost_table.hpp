#pragma once

// What has been learned of the costs of types and features, for people and for other runs.

#include <cstdint>
#include <vector>

namespace evenkeel {

// What one type or feature of a set costs.
struct CostRow {
  static constexpr int most_types = 16, most_features = 8;  // of a set

  int set = 0;              // its number among the sets that are given to a Balancer
  bool is_feature = false;  // a feature of objects, not a type
  int number = 0;           // of the type or the feature
  double amount = 0;        // objects of the type, or the sum of the feature, over all ranks
  double seconds = 0;       // that one object of the type, or a unit of the feature, takes per step
  double error = 0;         // one standard error of that

  friend bool operator==(const CostRow&, const CostRow&) = default;
};

// All rows, and how well they are known.
struct CostTable {
  std::vector<CostRow> rows = {};
  double fixed_seconds = 0;  // per step, of a rank, whatever it has
  double noise = 0;          // standard deviation of a rank's load, as a share of it
  double condition = 1;      // of the worst equations that were solved
  int frozen = 0;            // directions that measurements cannot tell: left as they were thought

  bool empty() const noexcept { return rows.empty(); }
  friend bool operator==(const CostTable&, const CostTable&) = default;
};

}  // namespace evenkeel
