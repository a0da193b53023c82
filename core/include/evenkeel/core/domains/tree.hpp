#pragma once

// Domains that are the boxes of recursive bisection, as a value. Each rank can find the owner of
// any point. This header does not include Kokkos; part_of_point.hpp is for kernels.

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/domains/decomposition.hpp>
#include <evenkeel/core/field/set.hpp>

#include <memory>
#include <span>

namespace evenkeel {

namespace stages {
// Divides a box: places below `border` along `axis` belong to the parts before `middle`, all other
// places to the parts from `middle` on.
struct Bisection {
  double border = 0;
  int axis = 0;
  int middle = 0;  // the first part above the border
  friend bool operator==(const Bisection&, const Bisection&) = default;
};
}  // namespace stages

struct LeafOfPoint;  // core/domains/part_of_point.hpp

// Domains that are the boxes of recursive bisection.
class EVENKEEL_API TreeDomains : public Decomposition {
 public:
  static constexpr bool owns_places = true;

  // The same division, for walks down the tree. next[0] leads below the border, and next[1] above
  // it. Each is the index of another fork, or ~part.
  struct Fork {
    double border = 0;
    int axis = 0;
    int next[2] = {-1, -1};  // a plain array: device code may not call the members of std::array
  };

  // No domains yet: generation 0, without parts.
  TreeDomains() = default;
  // `nodes` must be in pre-order. Throws an Error if the box, the nodes or the ranks are invalid.
  TreeDomains(std::int64_t generation, int dimensions, const Box& box,
              const std::array<bool, 3>& periodic, std::vector<stages::Bisection> nodes,
              std::vector<int> rank_of_part = {});

  const std::vector<stages::Bisection>& nodes() const noexcept { return nodes_; }
  const std::vector<Fork>& forks() const noexcept { return forks_; }  // one per node

  // GridDomains explains these.
  Box box_of(int part) const;
  std::vector<Box> boxes_of(int part) const;
  int owner_of(std::span<const double> point) const;
  void write_parts(const Space& space, const Set& set, int* parts) const;
  std::vector<int> ranks_within(const Box& box, double width) const;

  // Returns true if the other domains have the same nodes.
  bool divides_as(const TreeDomains& other) const;

  // A function object that finds the part of a point, for kernels on the host.
  LeafOfPoint leaf_of_point() const noexcept;

  // See decomposition.hpp.
  BoxFrame frame() const;
  OwnerTree owner_tree(const detail::Reaches& reaches) const;
  std::unique_ptr<HomeTest> home_test(const Space& space, int part, std::int64_t objects) const;

 private:
  std::vector<stages::Bisection> nodes_;
  std::vector<Fork> forks_;
};

}  // namespace evenkeel
