#pragma once

// Domains that are ranges of a curve through the box.

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/curve/key.hpp>
#include <evenkeel/core/domains/decomposition.hpp>
#include <evenkeel/core/field/set.hpp>

#include <memory>
#include <span>

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
class EVENKEEL_API CurveDomains : public Decomposition {
 public:
  static constexpr bool owns_places = true;

  // Nobody owns anything yet: no parts, generation 0.
  CurveDomains() = default;
  // Throws an Error for splitters that leave a key without an owner, and for ranks that are not a
  // permutation.
  CurveDomains(std::int64_t generation, int dimensions, const Box& box,
               const std::array<bool, 3>& periodic, Splitters splitters,
               const CurveOptions& curve = {}, std::vector<int> rank_of_part = {});

  const Splitters& splitters() const noexcept { return splitters_; }

  // Which curve, and how fine its lattice is.
  const CurveOptions& curve() const noexcept { return curve_; }

  // The rank that owns a point; a point outside the box belongs to the owner of the nearest cell.
  // Throws an Error for a point that is not finite or has other dimensions, and while there are no
  // parts.
  int owner_of(std::span<const double> point) const;

  // Writes the part of each owned object of a set to parts[0] ... `space` must reach the positions
  // and `parts`. Positions must be finite, as bounds() ensures. Blocks. Local.
  void write_parts(const Space& space, const Set& set, int* parts) const;

  // The ranks whose domains come within `width` of a box, in ascending order: those that must be
  // asked for a halo of the box. Exactly those that own a point of the box widened by `width` on
  // all sides, whether or not an object is there; periodic axes wrap around. In two dimensions the
  // third axis has no meaning. Local.
  std::vector<int> ranks_within(const Box& box, double width) const;

  // The cubes that a part fills, up to a few hundred; of a snake at most 5 boxes.
  std::vector<Box> boxes_of(int part) const;

  // Whether both are cut at the same keys of the same curve.
  bool divides_as(const CurveDomains& other) const;

  // See decomposition.hpp. A snake has no test: it visits no cubes.
  CellFrame frame() const;
  OwnerTree owner_tree(const Reaches& reaches) const;
  std::unique_ptr<HomeTest> home_test(const Space& space, int part, std::int64_t objects) const;

 private:
  Splitters splitters_;
  CurveOptions curve_;
};

}  // namespace evenkeel
