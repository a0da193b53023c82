#include "domains/stage.hpp"

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/core/domains/owner.hpp>

#include <algorithm>

namespace evenkeel {

namespace {

constexpr const char* owner_label = "evenkeel::owner::parts";

struct WriteOwner {
  OwnerOf owner_of;
  const CurveKey* keys;
  int* owners;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { owners[i] = owner_of(keys[i]); }
};

// Neighbours in memory are often neighbours on the curve. So for each group of keys, the part of
// the previous key is tried first. If that part does not contain all keys of the group, the owners
// of all keys are searched for at once, because the steps of a single search would wait for each
// other.
struct WriteOwnersOfBlock {
  static constexpr std::int64_t length = 4096;
  static constexpr int group = 8;
  OwnerOf owner_of;
  const CurveKey* keys;
  int* owners;
  std::int64_t count;

  void operator()(std::int64_t block) const {
    const std::int64_t end = std::min(count, (block + 1) * length);
    std::int64_t i = block * length;
    int last = 0;
    for (; i + group <= end; i += group) {
      if (are_all_in(last, keys + i))
        std::fill_n(owners + i, group, last);
      else
        search(keys + i, owners + i);
      last = owners[i + group - 1];
    }
    for (; i < end; ++i) owners[i] = owner_of(keys[i]);
  }

  bool are_all_in(int part, const CurveKey* some) const {
    const std::uint64_t begin = owner_of.splitters[part].value;
    const std::uint64_t size = owner_of.splitters[part + 1].value - begin;
    bool all = true;
    for (int k = 0; k < group; ++k) all = all & (some[k].value - begin < size);
    return all;
  }

  // Finds the same parts as OwnerOf does.
  void search(const CurveKey* some, int* found) const {
    const CurveKey* first[group];
    std::fill_n(first, group, owner_of.splitters);
    for (int rest = owner_of.parts; rest > 1;) {
      const int half = rest / 2;
      for (int k = 0; k < group; ++k) first[k] += first[k][half].value <= some[k].value ? half : 0;
      rest -= half;
    }
    for (int k = 0; k < group; ++k) found[k] = static_cast<int>(first[k] - owner_of.splitters);
  }
};

template <class Instance>
void write_owners_on(const Instance& instance, const OwnerOf& owner_of, const CurveKey* keys,
                     std::int64_t count, int* owners) {
  if constexpr (is_device<Instance>) {
    exec::for_each(instance, owner_label, count, WriteOwner{owner_of, keys, owners});
  } else {
    using Block = WriteOwnersOfBlock;
    const std::int64_t blocks = (count + Block::length - 1) / Block::length;
    exec::for_each(instance, owner_label, blocks, Block{owner_of, keys, owners, count});
  }
}

}  // namespace

void write_owners(const Space& space, const Splitters& splitters, const CurveKey* keys,
                  std::int64_t count, int* owners) {
  if (splitters.size() < 2)
    refuse("There are fewer than two splitters, so there is no part.",
           "Give the splitters of a cut.");
  if (count <= 0) return;
  const exec::Reached<CurveKey> reached(space, "evenkeel::owner::splitters", splitters);
  const OwnerOf owner_of{reached.data(), static_cast<int>(splitters.size()) - 1};
  with_space(space, [&](const auto& instance) {
    write_owners_on(instance, owner_of, keys, count, owners);
  });
  space.fence(owner_label);
}

}  // namespace evenkeel
