// The owner tree of a curve: what it visits one after the other, divided where the owner changes.

#include "halo/flatten.hpp"
#include "halo/owner_tree.hpp"

#include <evenkeel/core/curve.hpp>

#include <algorithm>

namespace evenkeel {

namespace {

// Keys are counted in cells here: without the bits that a lattice of fewer levels leaves unused.
template <int n>
class CurveSource {
 public:
  struct Branch {
    NodeBox box;
    int first, last;
    std::uint64_t key;  // the first
    int bits;           // it has 2^bits keys
  };

  explicit CurveSource(const CurveDomains& domains)
      : domains_(domains), lattice_(lattice_of(domains)) {
    const int unused = lattice_.unused_bits();
    starts_.reserve(domains.splitters().size());
    for (const CurveKey splitter : domains.splitters()) {
      const std::uint64_t cell = splitter.value >> unused;
      starts_.push_back(cell + (cell << unused != splitter.value ? 1 : 0));
    }
  }

  Branch root() const { return branch_of(0, n * lattice_.levels()); }

  void children(const Branch& branch, std::vector<Branch>& into) const {
    const int bits = branch.bits - bits_per_step();
    const std::uint64_t size = std::uint64_t{1} << bits;
    for (std::uint64_t child = 0; child < std::uint64_t{1} << bits_per_step(); ++child)
      into.push_back(branch_of(branch.key + child * size, bits));
  }

  int rank_of(int owner) const { return domains_.rank_of(owner); }

  // Parts that own a cell.
  void write_ranks(std::vector<int>& ranks) const {
    for (std::size_t p = 0; p < ranks.size(); ++p)
      ranks[p] = starts_[p] < starts_[p + 1] ? domains_.rank_of(static_cast<int>(p)) : -1;
  }

 private:
  // Hilbert and Morton curves fill cubes one after the other; a snake fills half of a stretch of
  // planes, rows or cells after the other.
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
      } else if ((axis + 1) * lattice_.levels() <= bits) {  // all of its digits are free
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
  std::vector<std::uint64_t> starts_;  // of parts: the first cell, and one past the last
};

template <int n>
OwnerTree tree_of(const CurveDomains& domains, const Region& region) {
  const CurveSource<n> source(domains);
  OwnerTree tree = flatten(source, domains.parts(), n, region);
  source.write_ranks(tree.ranks);
  return tree;
}

}  // namespace

OwnerTree owner_tree_of(const CurveDomains& domains, const Region& region) {
  return domains.dimensions() == 3 ? tree_of<3>(domains, region) : tree_of<2>(domains, region);
}

}  // namespace evenkeel
