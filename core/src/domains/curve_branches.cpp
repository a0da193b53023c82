// The branches of a curve are ranges of cells. A walk divides them until each branch has one owner.

#include "domains/branches.hpp"
#include "domains/checks.hpp"

#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/domains/curve.hpp>

namespace evenkeel {

namespace {

// Keys here are numbers of cells: they lack the bits that a lattice with fewer levels leaves
// unused.
template <int n>
class CurveBranches {
 public:
  struct Branch {
    NodeBox box;
    int first, last;
    std::uint64_t key;  // its first key
    int bits;           // the branch has 2^bits keys
  };

  explicit CurveBranches(const CurveDomains& domains)
      : domains_(domains), lattice_(lattice_of(domains)) {
    const int unused = lattice_.unused_bits();
    starts_.reserve(domains.splitters().size());
    for (const CurveKey splitter : domains.splitters()) {
      const std::uint64_t cell = splitter.value >> unused;
      starts_.push_back(cell + (cell << unused != splitter.value ? 1 : 0));
    }
  }

  Branch root() const { return branch_of(0, n * lattice_.levels()); }

  template <class Visit>
  void children(const Branch& branch, const Visit& visit) const {
    const int bits = branch.bits - bits_per_step();
    const std::uint64_t size = std::uint64_t{1} << bits;
    for (std::uint64_t child = std::uint64_t{1} << bits_per_step(); child-- > 0;)
      visit(branch_of(branch.key + child * size, bits));
  }

  int rank_of(int owner) const { return domains_.rank_of(owner); }

 private:
  // A range of a Hilbert or Morton curve is a cube, and is divided into 2^n cubes. A range of a
  // snake is a number of planes, rows or cells, and is halved.
  int bits_per_step() const { return lattice_.curve() == CurveKind::snake ? 1 : n; }

  int owner_of(std::uint64_t key) const {
    const auto above = std::upper_bound(starts_.begin(), starts_.end() - 1, key);
    return static_cast<int>(above - starts_.begin()) - 1;
  }
  Cell<n> cell(std::uint64_t key) const {
    return lattice_.template cell<n>({key << lattice_.unused_bits()});
  }

  Branch branch_of(std::uint64_t key, int bits) const {
    const std::uint64_t end = key + (std::uint64_t{1} << bits) - 1;
    Branch branch{{}, owner_of(key), owner_of(end), key, bits};
    const Cell<n> first = cell(key), last = cell(end);
    for (int axis = 0; axis < n; ++axis) {
      const auto d = static_cast<std::size_t>(axis);
      std::uint64_t lower = std::min(first.at[axis], last.at[axis]);
      std::uint64_t upper = std::max(first.at[axis], last.at[axis]);
      if (lattice_.curve() != CurveKind::snake) {
        const int level = bits / n;
        lower = first.at[axis] >> level << level;
        upper = lower + (std::uint64_t{1} << level) - 1;
      } else if ((axis + 1) * lattice_.levels() <= bits) {  // all coordinates along this axis occur
        lower = 0;
        upper = (std::uint64_t{1} << lattice_.levels()) - 1;
      }
      branch.box.lower[d] = static_cast<double>(lower);
      branch.box.upper[d] = static_cast<double>(upper);
    }
    return branch;
  }

  const CurveDomains& domains_;
  const Lattice lattice_;
  std::vector<std::uint64_t> starts_;  // first cell of each part, then the end of the last part
};

}  // namespace

OwnerTree CurveDomains::owner_tree(const Reaches& reaches) const {
  return dimensions() == 3 ? tree_within_reach(CurveBranches<3>(*this), parts(), 3, reaches)
                           : tree_within_reach(CurveBranches<2>(*this), parts(), 2, reaches);
}

std::vector<int> CurveDomains::ranks_within(const Box& box, double width) const {
  check_halo("core/domains", *this, box, width);
  const Reaches reaches = reaches_of(frame(), dimensions(), box, width);
  return dimensions() == 3 ? ranks_within_reach(CurveBranches<3>(*this), 3, reaches)
                           : ranks_within_reach(CurveBranches<2>(*this), 2, reaches);
}

}  // namespace evenkeel
