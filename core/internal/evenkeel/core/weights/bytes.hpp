#pragma once

// The bytes of objects, the memory of ranks that these bytes fill, and cuts that fit into it.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/field/set.hpp>

#include <span>
#include <utility>
#include <vector>

namespace evenkeel {

// Returns the bytes of each owned object, in memory of the space: SetOptions::bytes or, if they are
// not given, SetOptions::bytes_per_object or, if that is 0, the bytes of the application's fields
// and payloads. Throws an Error if a number is negative, NaN or infinite. Local. Blocks.
EVENKEEL_API exec::Array<double> bytes_of_objects(const Space& space, const Set& set);
// The sum of these bytes. Local. Blocks.
EVENKEEL_API double bytes_of_all_objects(const Set& set);
// The sum of the bytes of this rank's vertices (GraphOptions::bytes). Throws an Error if they are
// not given, or not valid. Local. Blocks.
EVENKEEL_API double bytes_of_all_vertices(const Space& space, const Graph& graph);

// The memory of one rank, and the bytes of its objects.
struct RankFill {
  int rank = 0;
  double bytes = 0, memory = 0;
  // 0 if there is no limit.
  double share() const noexcept { return memory > 0 ? bytes / memory : 0; }
};

// Throws an Error of the stage unless there is a limit for each part, and all limits are positive
// and finite.
EVENKEEL_API void check_memory(const detail::Refusal& refuse, std::span<const double> memory,
                               int parts);

// Returns the rank of which the greatest share is filled, and the lowest of several such ranks.
EVENKEEL_API RankFill fullest_of(std::span<const double> bytes, std::span<const double> memory);

// --- Cuts by work and bytes ----------------------------------------------------------------------
// Of work and bytes, `by_bytes` says how much each counts: from 0 (work alone) to 1 (bytes alone).

struct WorkAndBytes {
  double work = 0, bytes = 0;
};

// The weights of objects, and the shares of parts. An object weighs the greater of its shares of
// all work and of all bytes. So if all parts weigh the same, a part in which bytes prevail has an
// even share of bytes, and one in which work prevails has an even share of work. A sum of the two
// shares would make both kinds smaller.
class EVENKEEL_API ByWorkAndBytes {
 public:
  // Takes the sums over all objects, and the speed and the memory of each part. Refers to the
  // numbers of parts. Without speeds, parts are equally fast.
  ByWorkAndBytes(const WorkAndBytes& all, std::span<const double> speeds,
                 std::span<const double> memory);

  // False if all objects together need more than this share of all memory.
  bool can_fit(double most_share) const noexcept { return all_.bytes <= most_share * parts_.bytes; }
  // The factors of the work and the bytes of an object.
  WorkAndBytes factors(double by_bytes) const noexcept;
  // Does not block. Work or bytes that are empty are 1 for each object.
  exec::Array<double> weights(const Space& space, std::span<const double> work,
                              std::span<const double> bytes, std::int64_t objects,
                              double by_bytes) const;
  std::vector<double> shares_of_parts(double by_bytes) const;

 private:
  WorkAndBytes all_, parts_;  // sums; those of parts are of speeds and memory
  std::span<const double> speeds_, memory_;
};

// A cut that was tried. `filled` is the share that the fullest part fills of the memory that it may
// fill.
struct TriedCut {
  double lambda = 1, filled = 0;
  bool is_allowed = true;
  bool fits() const noexcept { return filled <= 1; }
  bool is_better_than(const TriedCut& other) const noexcept {
    if (!is_allowed) return false;
    if (fits() != other.fits()) return fits();
    return fits() ? lambda < other.lambda : filled < other.filled;
  }
};

// Replaces `best`, which does not fit, by the best of up to six cuts, in which bytes count as
// little as possible. Without hope, makes only a cut by bytes. make(by_bytes) makes a cut, and
// judge(cut) returns its TriedCut. Returns the number of these cuts that do not fit. Collective if
// make() is.
template <class Cut, class Make, class Judge>
int find_cut_that_fits(Cut& best, bool has_hope, const Make& make, const Judge& judge) {
  const int most_cuts = has_hope ? 6 : 1;
  double too_little = 0, enough = 1, by_bytes = 1;
  int refused = 0;
  for (int made = 0; made < most_cuts; ++made) {
    Cut next = make(by_bytes);
    const TriedCut tried = judge(next);
    if (tried.is_better_than(judge(best))) best = std::move(next);
    if (!tried.fits()) ++refused;
    if (tried.fits())
      enough = by_bytes;
    else if (by_bytes < 1)
      too_little = by_bytes;
    by_bytes = (too_little + enough) / 2;  // the less bytes count, the more even is the work
  }
  return refused;
}

}  // namespace evenkeel
