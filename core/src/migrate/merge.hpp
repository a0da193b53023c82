#pragma once

// The order of objects that come in several runs, each of which is in order.

#include <evenkeel/core/field.hpp>
#include <evenkeel/core/key.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// keys: of all runs, one after the other; run r begins at firsts[r]. Where they come to stand when
// all are in order, equal keys as they are: ranges from places among the runs to places in the
// order, rising in the latter. Empty when there would be more than `most`, or that is in sight.
std::vector<ObjectRange> merged_runs(std::span<const CurveKey> keys,
                                     std::span<const std::int64_t> firsts, std::int64_t most);

// The same where objects lie in no ranges to speak of: order[i] is the place among the runs of what
// comes to stand at i. Keys change places too, or not.
void merge_order(std::span<CurveKey> keys, std::span<const std::int64_t> firsts,
                 std::span<std::int64_t> order);

}  // namespace evenkeel
