#pragma once

// Who owns what: all domains together, as a value. Every rank can ask it who owns a point, without
// a message.

#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/key.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// Where the curve is cut: part p owns the keys from splitters[p] to before splitters[p + 1]. There
// is one splitter more than parts, and they never fall; the first is 0 and the last the end of the
// curve, so every key has an owner.
using Splitters = std::vector<CurveKey>;

// The part that owns a key.
EVENKEEL_API int owner_of(const Splitters& splitters, CurveKey key);

// Which curve, and through how fine a lattice.
struct CurveOptions {
  CurveKind kind = CurveKind::hilbert;
  int levels = 0;  // of the lattice; 0: as many as a key has room for
  friend bool operator==(const CurveOptions&, const CurveOptions&) = default;
};

// Domains that are ranges of a curve through the box.
class EVENKEEL_API CurveDomains {
 public:
  // Nobody owns anything yet: no parts, generation 0.
  CurveDomains() = default;
  // Throws an Error for splitters that leave a key without an owner, and for ranks that are not a
  // permutation.
  CurveDomains(std::int64_t generation, int dimensions, const Box& box,
               const std::array<bool, 3>& periodic, Splitters splitters,
               const CurveOptions& curve = {}, std::vector<int> rank_of_part = {});

  // Grows by one with every change; compare it to see whether data derived from a decomposition is
  // stale.
  std::int64_t generation() const noexcept { return generation_; }
  int parts() const noexcept {
    return splitters_.empty() ? 0 : static_cast<int>(splitters_.size()) - 1;
  }
  int dimensions() const noexcept { return dimensions_; }
  const Box& box() const noexcept { return box_; }
  const std::array<bool, 3>& periodic() const noexcept { return periodic_; }
  const Splitters& splitters() const noexcept { return splitters_; }

  // Which curve, and how fine its lattice is.
  const CurveOptions& curve() const noexcept { return curve_; }

  // The rank that has a part.
  int rank_of(int part) const {
    return rank_of_part_.empty() ? part : rank_of_part_[static_cast<std::size_t>(part)];
  }
  // Empty: part p is rank p.
  const std::vector<int>& rank_of_part() const noexcept { return rank_of_part_; }

  // The rank that owns a point; a point outside the box belongs to the owner of the nearest cell.
  // Throws an Error for a point that is not finite or has other dimensions, and while there are no
  // parts.
  int owner_of(std::span<const double> point) const;

 private:
  std::int64_t generation_ = 0;
  int dimensions_ = 0;
  Box box_;
  std::array<bool, 3> periodic_ = {};
  Splitters splitters_;
  CurveOptions curve_;
  std::vector<int> rank_of_part_;
};

// The ranks whose domains come within `width` of a box, in ascending order: those that must be
// asked for a halo of the box. Exactly those that own a point of the box widened by `width` on all
// sides, whether or not an object is there; periodic axes wrap around. In two dimensions the third
// axis has no meaning. Local.
EVENKEEL_API std::vector<int> ranks_within(const CurveDomains& decomposition, const Box& box,
                                           double width);

}  // namespace evenkeel
