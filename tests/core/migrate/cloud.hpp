#pragma once

// Clouds of objects in which every byte follows from the id, and the serial oracle of a move: the
// objects of all ranks in one list, sorted by key. The ids are field 1 of every set here.

#include "core/listed.hpp"
#include "core/values.hpp"

#include <evenkeel/core/box/bounds.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/cut.hpp>
#include <evenkeel/core/field/staging.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/migrate.hpp>

namespace evenkeel::test {

using Ids = std::vector<std::int64_t>;
using Bytes = std::vector<unsigned char>;

// Returns unrelated numbers for different bits (S. Vigna's splitmix64).
inline std::uint64_t mix(std::uint64_t bits) {
  bits += 0x9E3779B97F4A7C15U;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
  return bits ^ (bits >> 31);
}
inline std::uint64_t mix(std::int64_t id, int salt) {
  return mix(mix(static_cast<std::uint64_t>(id)) + static_cast<std::uint64_t>(salt));
}

// --- Where objects are ---------------------------------------------------------------------------

struct Scene {
  const char* name;
  double (*coordinate)(std::int64_t id, int axis);
};

// Places in the unit cube. Many objects share a coordinate.
inline std::array<double, 3> place_in_unit(std::int64_t id) {
  std::array<double, 3> place;
  for (int axis = 0; axis < 3; ++axis)
    place[static_cast<std::size_t>(axis)] = static_cast<double>(mix(id, axis) % 1000) / 1000;
  return place;
}

inline constexpr Scene everywhere = {"everywhere", [](std::int64_t id, int axis) {
                                       return -20 + 5e-19 * static_cast<double>(mix(id, axis));
                                     }};
inline constexpr Scene in_one_point = {"in one point", [](std::int64_t, int) { return 0.7; }};
// Many objects share few places.
inline constexpr Scene on_corners = {
    "on corners", [](std::int64_t id, int axis) { return static_cast<double>(mix(id, axis) % 3); }};
inline constexpr Scene in_a_plane = {"in a plane", [](std::int64_t id, int axis) {
                                       return axis == 1 ? 1 : everywhere.coordinate(id, axis);
                                     }};

// The rank on which each object starts.
struct Spread {
  const char* name;
  int (*rank_of)(std::int64_t id, int size);
};

inline constexpr Spread in_turn = {
    "in turn", [](std::int64_t id, int size) { return static_cast<int>(id % size); }};
inline constexpr Spread at_random = {
    "at random", [](std::int64_t id, int size) {
      return static_cast<int>(mix(id, 99) % static_cast<std::uint64_t>(size));
    }};
inline constexpr Spread on_the_last = {"on the last rank",
                                       [](std::int64_t, int size) { return size - 1; }};
inline constexpr Spread on_even_ranks = {"on even ranks", [](std::int64_t id, int size) {
                                           return static_cast<int>(id % ((size + 1) / 2)) * 2;
                                         }};

// Returns the ids on this rank, among 0, 1, ...
inline Ids ids_here(const Communicator& communicator, const Spread& spread, std::int64_t total) {
  Ids ids;
  for (std::int64_t id = 0; id < total; ++id)
    if (spread.rank_of(id, communicator.size()) == communicator.rank()) ids.push_back(id);
  return ids;
}

// --- What objects carry --------------------------------------------------------------------------

// The layout of field `f`, without the values behind the owned objects.
inline FieldLayout owned(const Set& set, std::size_t f) {
  FieldLayout layout = set.fields()[f].layout();
  layout.count = set.count();
  return layout;
}

inline void write_place(const Set& set, const Scene& scene, std::int64_t id,
                        unsigned char* object) {
  const FieldLayout field = set.fields().front().layout(), at = set.position();
  object += static_cast<const char*>(at.data) - static_cast<const char*>(field.data);
  for (int axis = 0; axis < at.components; ++axis, object += at.element_bytes) {
    const double place = scene.coordinate(id, axis);
    const auto single = static_cast<float>(place);
    if (at.scalar == ScalarType::float32)
      std::memcpy(object, &single, sizeof(single));
    else
      std::memcpy(object, &place, sizeof(place));
  }
}

// The values of field `f` for these objects: their places, their ids, and noise elsewhere.
inline Bytes bytes_of(const Set& set, std::size_t f, const Scene& scene, const Ids& ids) {
  const auto size = static_cast<std::size_t>(set.fields()[f].layout().bytes_per_object());
  Bytes bytes(ids.size() * size);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    unsigned char* object = bytes.data() + i * size;
    for (std::size_t b = 0; b < size; ++b)
      object[b] = static_cast<unsigned char>(mix(ids[i], static_cast<int>(1000 * f + b)));
    if (f == 0) write_place(set, scene, ids[i], object);
    if (f == 1) std::memcpy(object, &ids[i], sizeof(ids[i]));
  }
  return bytes;
}

inline void write_objects(const Set& set, const Scene& scene, const Ids& ids) {
  for (std::size_t f = 0; f < set.fields().size(); ++f)
    write_values(owned(set, f), bytes_of(set, f, scene, ids));
}

inline Ids ids_in(const Set& set) { return values_at<std::int64_t>(owned(set, 1)); }

// Compares every byte of every field.
inline void expect_objects(const Set& set, const Scene& scene, const Ids& ids) {
  ASSERT_EQ(ids_in(set), ids);
  for (std::size_t f = 0; f < set.fields().size(); ++f)
    EXPECT_TRUE(values_at<unsigned char>(owned(set, f)) == bytes_of(set, f, scene, ids))
        << set.describe(f);
}

// Collective. The sum covers whole objects. It does not depend on their rank and order.
inline std::uint64_t checksum(const Communicator& communicator, const Set& set) {
  std::vector<std::uint64_t> of_object(static_cast<std::size_t>(set.count()));
  for (std::size_t f = 0; f < set.fields().size(); ++f) {
    const Bytes bytes = values_at<unsigned char>(owned(set, f));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      std::uint64_t& sum = of_object[i * of_object.size() / bytes.size()];
      sum = mix(sum + bytes[i]);
    }
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t object : of_object) sum += object;
  return communicator.all_reduce(sum, Reduction::sum);
}

// --- Rebalances by hand --------------------------------------------------------------------------

struct Prepared {
  std::vector<SetShape> shapes;
  std::vector<Listed> orders;
  Splitters splitters;
  Plan plan;
};

inline Space space_of(const Set& set) {
  const MemoryKind kind = set.position().memory;
  return space().can_access(kind) ? space() : Space::where(kind);
}

inline Bounds bounds_of_all(const Communicator& communicator, std::span<const Set> sets) {
  Bounds all;
  for (const Set& set : sets) {
    const Bounds found = bounds(space_of(set), communicator, set);
    all.dimensions = std::max(all.dimensions, found.dimensions);
    for (std::size_t d = 0; d < 3; ++d) {
      all.lower[d] = std::min(all.lower[d], found.lower[d]);
      all.upper[d] = std::max(all.upper[d], found.upper[d]);
    }
  }
  return all;
}

// Collective. Prepares a move as a balancer does. All objects weigh the same.
inline Prepared prepare_by_curve(const Communicator& communicator, std::span<const Set> sets) {
  Prepared prepared;
  prepared.shapes = agree_on_sets(communicator, sets);
  const Bounds found = bounds_of_all(communicator, sets);
  const int dimensions = found.dimensions == 0 ? 3 : found.dimensions;
  const Lattice lattice(dimensions, enclose({}, found), {});
  std::vector<WeightedKeys> keys;
  for (const Set& set : sets) prepared.orders.push_back(listed(order(space_of(set), lattice, set)));
  for (const Listed& order : prepared.orders) keys.push_back({order.keys, {}});
  prepared.splitters =
      cut(communicator, keys, {.parts = communicator.size(), .dimensions = dimensions}).splitters;
  prepared.plan = plan(communicator, prepared.splitters, made(prepared.orders));
  return prepared;
}

// Orders objects by given keys.
template <class KeyOf>
Listed order_by(const Ids& ids, const KeyOf& key_of) {
  Listed order;
  order.objects = counting<std::int64_t>(std::ssize(ids));
  const auto key = [&](std::int64_t i) { return key_of(ids[static_cast<std::size_t>(i)]); };
  std::ranges::stable_sort(order.objects, {}, key);
  for (const std::int64_t i : order.objects) order.keys.push_back({key(i)});
  return order;
}

// Part p owns the keys from 100 p up to 100 (p + 1).
constexpr std::uint64_t keys_per_part = 100;
inline Splitters even_splitters(int parts) {
  Splitters splitters;
  for (int part = 0; part <= parts; ++part)
    splitters.push_back({keys_per_part * static_cast<std::uint64_t>(part)});
  return splitters;
}

// Collective. Object `id` of set s has the key key_of(s, id).
template <class KeyOf>
Prepared prepare_by_keys(const Communicator& communicator, std::span<const Set> sets,
                         const KeyOf& key_of) {
  Prepared prepared;
  prepared.shapes = agree_on_sets(communicator, sets);
  prepared.splitters = even_splitters(communicator.size());
  for (std::size_t s = 0; s < sets.size(); ++s)
    prepared.orders.push_back(
        order_by(ids_in(sets[s]), [&](std::int64_t id) { return key_of(s, id); }));
  prepared.plan = plan(communicator, prepared.splitters, made(prepared.orders));
  return prepared;
}

// Collective. Object `id` of set s goes to rank to(s, id).
template <class Destination>
Prepared prepare_trade(const Communicator& communicator, std::span<const Set> sets,
                       const Destination& to) {
  return prepare_by_keys(communicator, sets, [&](std::size_t s, std::int64_t id) {
    return keys_per_part * static_cast<std::uint64_t>(to(s, id));
  });
}

// Draws a key of any part. Each `salt` gives another shuffle, and many keys are equal.
inline std::uint64_t any_key(std::int64_t id, int salt, int parts) {
  return mix(id, 5000 + salt) % (keys_per_part * static_cast<std::uint64_t>(parts));
}

// Collective. Objects get any ranks, independently of their places.
inline Prepared prepare_shuffle(const Communicator& communicator, std::span<const Set> sets,
                                int salt) {
  return prepare_by_keys(communicator, sets, [&](std::size_t, std::int64_t id) {
    return any_key(id, salt, communicator.size());
  });
}

// --- The oracle ----------------------------------------------------------------------------------

// The result of a move on this rank, and the values of its report.
struct Expected {
  std::vector<Ids> ids;  // of each set
  std::int64_t objects = 0, bytes = 0, sent = 0, received = 0;
  std::set<int> partners;
};

struct Placed {
  std::uint64_t key;
  std::int64_t id;
  int from;
};

// Collective. The objects of all ranks in the order of the curve. Objects with the same key are in
// the order of ranks, and of their order on a rank.
inline std::vector<Placed> all_objects(const Communicator& communicator, const Set& set,
                                       const Listed& order) {
  const Ids ids = ids_in(set);
  std::vector<Placed> mine;
  for (std::size_t i = 0; i < order.keys.size(); ++i)
    mine.push_back({order.keys[i].value, ids[static_cast<std::size_t>(order.objects[i])],
                    communicator.rank()});
  auto all = communicator.all_gather(std::span<const Placed>(mine)).values;
  std::ranges::stable_sort(all, {}, &Placed::key);
  return all;
}

inline int owner_by_search(const Splitters& splitters, std::uint64_t key) {
  for (std::size_t p = 0; p + 1 < splitters.size(); ++p)
    if (splitters[p].value <= key && key < splitters[p + 1].value) return static_cast<int>(p);
  return -1;
}

// Collective.
inline Expected expected_of(const Communicator& communicator, std::span<const Set> sets,
                            const Prepared& prepared) {
  Expected expected;
  const int rank = communicator.rank();
  for (std::size_t s = 0; s < sets.size(); ++s) {
    std::int64_t bytes = 0;
    for (std::size_t f = 0; f < sets[s].fields().size(); ++f)
      bytes += sets[s].fields()[f].layout().element_bytes * prepared.shapes[s].components[f];
    expected.ids.emplace_back();
    for (const Placed& object : all_objects(communicator, sets[s], prepared.orders[s])) {
      const int to = owner_by_search(prepared.splitters, object.key);
      if (to == rank) expected.ids.back().push_back(object.id);
      if (to == object.from) continue;
      ++expected.objects;
      expected.bytes += bytes;
      if (object.from == rank) ++expected.sent, expected.partners.insert(to);
      if (to == rank) ++expected.received, expected.partners.insert(object.from);
    }
  }
  return expected;
}

inline void expect_report(const MoveReport& report, const Expected& expected) {
  EXPECT_TRUE(report);
  EXPECT_EQ(report.objects, expected.objects);
  EXPECT_EQ(report.bytes, expected.bytes);
  EXPECT_EQ(report.sent, expected.sent);
  EXPECT_EQ(report.received, expected.received);
  EXPECT_EQ(report.partners, std::ssize(expected.partners));
}

// Collective. Moves the sets, and compares all results with the oracle.
inline MoveReport expect_move(const Communicator& communicator, std::span<const Set> sets,
                              const Scene& scene, const Prepared& prepared,
                              const MoveOptions& options = {}) {
  const Expected expected = expected_of(communicator, sets, prepared);
  std::vector<std::uint64_t> sums;
  for (const Set& set : sets) sums.push_back(checksum(communicator, set));
  const MoveReport report = move(communicator, sets, prepared.shapes, prepared.plan, options);
  expect_report(report, expected);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    expect_objects(sets[s], scene, expected.ids[s]);
    EXPECT_EQ(checksum(communicator, sets[s]), sums[s]);
    EXPECT_NO_THROW(check_movable(sets[s]));
  }
  return report;
}

// Does the same for one set, shuffled or by the curve.
inline void expect_shuffle(const Communicator& communicator, const Set& set, const Scene& scene,
                           int salt) {
  expect_move(communicator, {&set, 1}, scene, prepare_shuffle(communicator, {&set, 1}, salt));
}
inline void expect_order(const Communicator& communicator, const Set& set, const Scene& scene) {
  expect_move(communicator, {&set, 1}, scene, prepare_by_curve(communicator, {&set, 1}));
}

// --- Clouds --------------------------------------------------------------------------------------

// The simplest cloud.
struct Vectors {
  std::vector<std::array<double, 3>> x;
  Ids id;
  std::vector<Vec3> velocity;
  std::vector<Opaque> kind;
  std::vector<char> flag;
  std::vector<std::array<short, 3>> cell;

  explicit Vectors(std::size_t n) : x(n), id(n), velocity(n), kind(n), flag(n), cell(n) {}
  Set as_set(const SetOptions& options = {}) {
    return set(x, carry(id, velocity, kind, flag, cell), options);
  }
};

// A cloud of these objects, and the set of them.
template <class Cloud>
struct Filled : Cloud {
  Set set = this->as_set();

  explicit Filled(const Ids& ids, const Scene& scene = everywhere) : Cloud(ids.size()) {
    write_objects(set, scene, ids);
  }
};

// Everything that must stay unchanged if a move fails.
struct Snapshot {
  struct Place {
    const void* data;
    std::int64_t count, capacity, object_stride_bytes, component_stride_bytes;
    int components;
    friend bool operator==(const Place&, const Place&) = default;
  };
  std::vector<Place> places;
  std::vector<Bytes> contents;  // owned objects and those behind them
  Ids counts;
  friend bool operator==(const Snapshot&, const Snapshot&) = default;
};

inline Snapshot snapshot_of(std::span<const Set> sets) {
  Snapshot snapshot;
  for (const Set& set : sets) {
    snapshot.counts.push_back(set.count());
    for (const Field& field : set.fields()) {
      const FieldLayout at = field.layout();
      snapshot.places.push_back({at.data, at.count, at.capacity, at.object_stride_bytes,
                                 at.component_stride_bytes, at.components});
      snapshot.contents.push_back(values_at<unsigned char>(at));
    }
  }
  return snapshot;
}

}  // namespace evenkeel::test
