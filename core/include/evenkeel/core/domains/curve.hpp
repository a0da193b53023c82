#pragma once

// Domains that are ranges of a curve through the box.

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/curve/key.hpp>
#include <evenkeel/core/domains/decomposition.hpp>
#include <evenkeel/core/field/set.hpp>

#include <memory>
#include <span>

namespace evenkeel {

namespace stages {

// Part p owns the keys from splitters[p] to before splitters[p + 1]. There is one splitter more
// than parts, and they never fall. The first splitter is 0, and the last one is the end of the
// curve, so every key has an owner.
using Splitters = std::vector<CurveKey>;

// The part that owns a key.
EVENKEEL_API int owner_of(const Splitters& splitters, CurveKey key);

// The kind of a curve, and the levels of its lattice.
struct CurveOptions {
  CurveKind kind = CurveKind::hilbert;
  int levels = 0;  // of the lattice; if it is 0, as many as a key has bits for
  friend bool operator==(const CurveOptions&, const CurveOptions&) = default;
};

}  // namespace stages

// Domains that are ranges of a curve through the box.
class EVENKEEL_API CurveDomains : public Decomposition {
 public:
  static constexpr bool owns_places = true;

  // No domains yet: generation 0, without parts.
  CurveDomains() = default;
  // Throws an Error if splitters leave a key without an owner, or if the ranks are not a
  // permutation.
  CurveDomains(std::int64_t generation, int dimensions, const Box& box,
               const std::array<bool, 3>& periodic, stages::Splitters splitters,
               const stages::CurveOptions& curve = {}, std::vector<int> rank_of_part = {});

  const stages::Splitters& splitters() const noexcept { return splitters_; }

  // The kind of the curve, and the levels of its lattice.
  const stages::CurveOptions& curve() const noexcept { return curve_; }

  // The rank that owns a point. A point outside the box belongs to the owner of the nearest cell.
  // Throws an Error if the point is not finite or has other dimensions, or if there are no parts.
  int owner_of(std::span<const double> point) const;

  // Writes the part of each owned object of a set to parts[0], parts[1] and so on. `space` must
  // reach the positions and `parts`. Positions must be finite, as bounds() ensures. Blocks. Local.
  void write_parts(const Space& space, const Set& set, int* parts) const;

  // The ranks with which a halo of this width around a box communicates, in ascending order. These
  // are exactly the ranks that own a point of the box widened by `width` on all sides, even if no
  // object is there. Periodic axes wrap around. In two dimensions the third axis has no meaning.
  // Local.
  std::vector<int> ranks_within(const Box& box, double width) const;

  // The cubes that a part fills, up to a few hundred; for a snake at most 5 boxes.
  std::vector<Box> boxes_of(int part) const;

  // Returns true if the other domains have the same splitters on the same curve.
  bool divides_as(const CurveDomains& other) const;

  // See decomposition.hpp. home_test() returns null for a snake, which does not fill cubes, and for
  // a part that contains no whole cell.
  CellFrame frame() const;
  OwnerTree owner_tree(const detail::Reaches& reaches) const;
  std::unique_ptr<HomeTest> home_test(const Space& space, int part, std::int64_t objects) const;

 private:
  stages::Splitters splitters_;
  stages::CurveOptions curve_;
};

}  // namespace evenkeel
