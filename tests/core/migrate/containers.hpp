#pragma once

// Clouds in containers of every kind that a field can be, in the memory of a space or on the host.

#include "core/migrate/cloud.hpp"

#include <evenkeel/core/field/kokkos_view.hpp>
#include <evenkeel/core/field/standard.hpp>

namespace evenkeel::test {

constexpr std::int64_t most_objects = 300;  // of all ranks together, since some memory is limited
constexpr auto room = static_cast<std::size_t>(most_objects);

template <class Memory>
struct LeftViews {
  Kokkos::View<double**, Kokkos::LayoutLeft, Memory> x;
  Kokkos::View<std::int64_t*, Memory> id;
  Kokkos::View<double* [3], Kokkos::LayoutRight, Memory> velocity;
  Kokkos::View<Opaque*, Memory> kind;
  Kokkos::View<float**, Kokkos::LayoutLeft, Memory> tensor;

  explicit LeftViews(std::size_t n)
      : x("x", n, 3),
        id("id", n),
        velocity("velocity", n),
        kind("kind", n),
        tensor("tensor", n, 5) {}
  Set as_set(const SetOptions& options = {}) {
    return set(x, carry(id, velocity, kind, tensor), options);
  }
};

// Flat Views in the memory of the space, and values on the host beside them.
template <class Memory>
struct RightViews {
  Kokkos::View<float**, Kokkos::LayoutRight, Memory> x;
  Ids id;
  Kokkos::View<Vec3*, Memory> velocity;
  Kokkos::DualView<double* [3]> force;
  Kokkos::DualView<float*> charge;
  Kokkos::View<char* [7], Kokkos::LayoutLeft, Memory> name;

  explicit RightViews(std::size_t n)
      : x("x", n, 2),
        id(n),
        velocity("velocity", n),
        force("force", n),
        charge("charge", n),
        name("name", n) {}
  Set as_set() { return set(x, carry(id, velocity, force, charge, name)); }
};

struct Records {
  std::vector<Particle> particles;
  Ids id;
  explicit Records(std::size_t n) : particles(n), id(n) {}
  Set as_set() { return set(particles, carry(id)); }
};

template <class Memory>
struct RecordViews {
  Kokkos::View<Particle*, Memory> particles;
  Kokkos::View<std::int64_t*, Memory> id;
  explicit RecordViews(std::size_t n) : particles("particles", n), id("id", n) {}
  Set as_set() { return set(particles, carry(id)); }
};

// Views that a rank without objects has never allocated.
template <class Memory>
struct LateViews {
  Kokkos::View<double**, Kokkos::LayoutRight, Memory> x;
  Kokkos::View<std::int64_t*, Memory> id;
  Kokkos::View<float**, Kokkos::LayoutLeft, Memory> tensor;
  Kokkos::DualView<double**> force;

  explicit LateViews(std::size_t n) {
    if (n == 0) return;
    x = decltype(x)("x", n, 3);
    id = decltype(id)("id", n);
    tensor = decltype(tensor)("tensor", n, 5);
    force = decltype(force)("force", n, 2);
  }
  Set as_set() { return set(x, carry(id, tensor, force)); }
};

// Ranks hold the same values in different containers.
struct MixedContainers {
  Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> left;
  std::vector<std::array<double, 3>> x;
  Ids id;
  std::vector<float> vector;
  Kokkos::View<float*, Kokkos::HostSpace> view;

  explicit MixedContainers(std::size_t n)
      : left("left", n, 3), x(n), id(n), vector(n), view("view", n) {}
  Set as_set() { return rank() % 2 == 0 ? set(left, carry(id, vector)) : set(x, carry(id, view)); }
};

// Borrowed memory of a fixed size. Some is ordered by objects, some by components.
struct Borrowed {
  std::vector<std::array<double, 3>> x_memory = decltype(x_memory)(room);
  Ids id_memory = Ids(room);
  std::vector<float> tensor_memory = std::vector<float>(4 * room), records = tensor_memory;
  unsigned owned;
  std::span<std::array<double, 3>> x = x_memory;
  std::span<std::int64_t> id = id_memory;
  RawField<float> tensor = raw_field(tensor_memory.data(), {.count = most_objects,
                                                            .components = 4,
                                                            .component_stride = most_objects,
                                                            .label = "tensor"});
  RawField<float> member =
      raw_field(records.data() + 1,
                {.count = most_objects, .components = 2, .object_stride = 4, .label = "member"});

  explicit Borrowed(std::size_t n) : owned(static_cast<unsigned>(n)) {}
  Set as_set() { return set(x, carry(id, tensor, member), {.count = &owned}); }
};

// Raw fields that store their number of objects themselves.
struct Raw {
  std::vector<double> x_memory = std::vector<double>(3 * room);
  Ids id_memory = Ids(room);
  RawField<double> x;
  RawField<std::int64_t> id;

  explicit Raw(std::size_t n)
      : x(raw_field(
            x_memory.data(),
            {.count = static_cast<std::int64_t>(n), .capacity = most_objects, .components = 3})),
        id(raw_field(id_memory.data(),
                     {.count = static_cast<std::int64_t>(n), .capacity = most_objects})) {}
  Set as_set() { return set(x, carry(id)); }
};

// Columns of wider arrays.
template <class Memory>
struct Subviews {
  Kokkos::View<double**, Kokkos::LayoutRight, Memory> all{"all", room, 7};
  Ids id = Ids(room);
  std::int64_t owned;
  using Strided = Kokkos::View<double**, Kokkos::LayoutStride, Memory>;
  Strided x{Kokkos::subview(all, Kokkos::ALL(), std::pair<int, int>(0, 3))};
  Strided velocity{Kokkos::subview(all, Kokkos::ALL(), std::pair<int, int>(4, 7))};

  explicit Subviews(std::size_t n) : owned(static_cast<std::int64_t>(n)) {}
  Set as_set() { return set(x, carry(id, velocity), {.count = &owned}); }
};

// Views that are also held elsewhere, and keep their memory.
template <class Memory>
struct KeptViews {
  LeftViews<Memory> views{room}, others = views;
  int owned;
  explicit KeptViews(std::size_t n) : owned(static_cast<int>(n)) {}
  Set as_set() { return views.as_set({.count = &owned, .keep_allocation = true}); }
};

}  // namespace evenkeel::test
