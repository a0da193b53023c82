#pragma once

// Objects with a key and a weight. All ranks know all objects, and each has a share.

#include "support/harness.hpp"

#include <evenkeel/core/cut.hpp>

namespace evenkeel::test::keyed {

struct Object {
  std::uint64_t key;
  double weight;
};

using Objects = std::vector<Object>;

// --- The rank of each object ---------------------------------------------------------------------

struct Spread {
  const char* name;
  std::uint64_t (*rank)(std::uint64_t i, std::uint64_t count, std::uint64_t size);
};

inline constexpr Spread spreads[] = {
    {"in turn", [](std::uint64_t i, std::uint64_t, std::uint64_t size) { return i % size; }},
    {"in blocks",
     [](std::uint64_t i, std::uint64_t n, std::uint64_t size) { return i * size / n; }},
    {"all on the first",
     [](std::uint64_t, std::uint64_t, std::uint64_t) { return std::uint64_t{0}; }},
    {"all on the last", [](std::uint64_t, std::uint64_t, std::uint64_t size) { return size - 1; }},
    {"no objects on odd ranks",
     [](std::uint64_t i, std::uint64_t, std::uint64_t size) { return i % ((size + 1) / 2) * 2; }},
    {"half on the first",
     [](std::uint64_t i, std::uint64_t n, std::uint64_t size) { return i < n / 2 ? 0 : i % size; }},
    {"anywhere",
     [](std::uint64_t i, std::uint64_t, std::uint64_t size) { return (i * i + i / 7) % size; }},
};

// The share of one rank.
struct Share {
  std::vector<CurveKey> keys;
  std::vector<double> weights;

  Share() = default;
  explicit Share(const Objects& objects) {
    for (const Object& object : objects) {
      keys.push_back({object.key});
      weights.push_back(object.weight);
    }
  }
  WeightedKeys both() const { return {keys, weights}; }
};

inline Share share_of(const Communicator& communicator, const Objects& objects,
                      const Spread& spread) {
  const auto rank = static_cast<std::uint64_t>(communicator.rank());
  const auto size = static_cast<std::uint64_t>(communicator.size());
  Objects mine;
  for (std::uint64_t i = 0; i < objects.size(); ++i)
    if (spread.rank(i, objects.size(), size) == rank) mine.push_back(objects[i]);
  return Share(mine);
}

}  // namespace evenkeel::test::keyed
