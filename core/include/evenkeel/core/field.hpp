#pragma once

// A field: one array over the objects, in a container of the application. This header is free of
// Kokkos and of MPI. Adapters are in core/field/: std::vector and std::span, raw pointers, Kokkos
// Views.
//
// The contract between evenkeel and a container has three parts:
//   layout    returns the present addresses; evenkeel asks each time and caches nothing;
//   stage     makes room for a new number of objects beside the old values; may throw;
//   commit    makes the staged values the container's; cannot fail.
// There are two ways. A container that owns its memory gets new storage from `allocate`, and a move
// of this storage commits it (Placement::replace). If a container borrows its memory or must keep
// its pointer, the new values are staged in a buffer of evenkeel and copied back; then they must
// fit into its capacity (Placement::in_place).
//
// A Field refers to the container, which must outlive it and keep its address.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/backends/scalar.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace evenkeel {

// The addresses of the values of a field. Value c of object i starts at
// data + i * object_stride_bytes + c * component_stride_bytes.
struct FieldLayout {
  void* data = nullptr;
  MemoryKind memory = MemoryKind::host;
  ScalarType scalar = ScalarType::none;  // of one value; `none` if values move as bytes
  int element_bytes = 0;                 // of one value
  int components = 1;                    // values per object
  std::int64_t count = 0;                // objects in use
  std::int64_t capacity = 0;             // objects that the memory has room for
  std::int64_t object_stride_bytes = 0;
  std::int64_t component_stride_bytes = 0;

  std::int64_t bytes_per_object() const noexcept {
    return static_cast<std::int64_t>(element_bytes) * components;
  }
  // Returns true if the values of an object are adjacent, and the objects, too.
  bool is_packed() const noexcept {
    return object_stride_bytes == bytes_per_object() &&
           (components == 1 || component_stride_bytes == element_bytes);
  }
};

// Says who owns the memory of a container's values.
enum class Ownership {
  sole,     // the container alone: evenkeel may replace the memory
  shared,   // the container and other holders, which would keep the old values
  borrowed  // another owner: values change in place, and the capacity is fixed
};

// The room that a container is asked to make.
struct Room {
  std::int64_t count = 0;     // objects
  int components = 1;         // values per object, as ElementShape or the second rank counts them
  std::int64_t capacity = 0;  // objects to have room for if possible; ignored if it is at most
                              // `count`
};

// Describes the values in one element of a container. Evenkeel knows arithmetic types, arrays of
// them, and std::array of them. Declare a vector type of your own by
//   template <> struct evenkeel::ElementShape<Vec3> : evenkeel::VectorOf<double, 3> {};
// All other types move as bytes.
template <class T, int n>
struct VectorOf {
  static constexpr ScalarType scalar = scalar_type_of<T>();
  static constexpr int element_bytes = sizeof(T);
  static constexpr int components = n;
};

// By default an element is one value of its type.
template <class T>
struct ElementShape {
  static constexpr ScalarType scalar = scalar_type_of<T>();
  static constexpr int element_bytes = sizeof(T);
  static constexpr int components = 1;
};
template <class T, std::size_t n>
struct ElementShape<T[n]> : VectorOf<T, static_cast<int>(n)> {};
template <class T, std::size_t n>
struct ElementShape<std::array<T, n>> : VectorOf<T, static_cast<int>(n)> {};

// Declares where the position is in a record (array of structures). A container of such records can
// then be the position of a set, and the whole records move:
//   template <> struct evenkeel::PositionIn<Particle>
//       : evenkeel::PositionAt<double, 3, offsetof(Particle, x)> {};
template <class Real, int n, std::size_t offset_bytes>
struct PositionAt {
  static constexpr ScalarType scalar = scalar_type_of<Real>();
  static constexpr int element_bytes = sizeof(Real);
  static constexpr int components = n;
  static constexpr std::size_t offset = offset_bytes;
};
template <class Record>
struct PositionIn;  // defined only for records

// The customisation point, by which evenkeel reads and changes a container. Specialise it for your
// own container, with the members
//
//   using Element = ...;                                // the type of its elements
//   static FieldLayout layout(Container&);              // the present addresses
//   static std::string label(const Container&);         // its name in messages
//   static Ownership ownership(const Container&);
//
// and, if the container ever owns its memory,
//
//   using Staged = ...;                                 // new storage, often another Container
//   static Staged allocate(const Container&, const Room&);          // may throw; changes nothing
//   static FieldLayout staged_layout(Staged&);
//   static void commit(Container&, Staged&) noexcept;
//
// and, if the container must know that its values change in place,
//
//   static void resized(Container&, std::int64_t count) noexcept; // before the change static void
//   changed(Container&) noexcept; // after
//
// Define `resized` only if the container itself stores the count. The new count never exceeds the
// capacity. `resized` must not move the memory.
template <class Container>
struct FieldTraits;

// The layout of adjacent objects of type T, for adapters.
template <class T>
FieldLayout packed_layout(T* data, std::int64_t count, std::int64_t capacity,
                          MemoryKind memory = MemoryKind::host) {
  using Shape = ElementShape<std::remove_const_t<T>>;
  FieldLayout layout;
  layout.data = const_cast<std::remove_const_t<T>*>(data);
  layout.memory = memory;
  layout.scalar = Shape::scalar;
  layout.element_bytes = Shape::element_bytes;
  layout.components = Shape::components;
  layout.count = count;
  layout.capacity = capacity;
  layout.object_stride_bytes = sizeof(T);
  layout.component_stride_bytes = Shape::element_bytes;
  return layout;
}

class Field;

namespace detail {

// A container that has FieldTraits.
template <class Container>
concept KnownContainer = requires(Container& container) {
  typename FieldTraits<Container>::Element;
  { FieldTraits<Container>::layout(container) } -> std::same_as<FieldLayout>;
};

// The storage that holds the new values of a field after the commit.
enum class Placement {
  replace,  // new storage takes the container's place
  in_place  // the container keeps its storage; staged values are copied back
};

// The contract of a container, type-erased: one constant table per container type.
struct FieldOperations {
  FieldLayout (*layout)(void* container) = nullptr;
  FieldLayout (*position)(void* container) = nullptr;
  std::string (*label)(const void* container) = nullptr;
  Ownership (*ownership)(const void* container) = nullptr;
  void* (*allocate)(void* container, const Room& room) = nullptr;  // null if the memory is always
                                                                   // borrowed
  FieldLayout (*staged_layout)(void* staged) = nullptr;
  void (*commit)(void* container, void* staged) noexcept = nullptr;
  void (*discard)(void* staged) noexcept = nullptr;
  void (*changed)(void* container) noexcept = nullptr;  // null if the container need not know
  void (*resized)(void* container,
                  std::int64_t count) noexcept = nullptr;  // null if it does not store its count
};

template <class Container>
struct OperationsOf {
  using Traits = FieldTraits<Container>;
  using Element = std::remove_const_t<typename Traits::Element>;

  static Container& get(void* container) { return *static_cast<Container*>(container); }

  static FieldLayout layout(void* container) { return Traits::layout(get(container)); }

  static FieldLayout position(void* container) {
    FieldLayout at = layout(container);
    if constexpr (requires { PositionIn<Element>::offset; }) {
      using Position = PositionIn<Element>;
      at.data = static_cast<std::byte*>(at.data) + (at.data != nullptr ? Position::offset : 0);
      at.scalar = Position::scalar;
      at.element_bytes = Position::element_bytes;
      at.components = Position::components;
      at.component_stride_bytes = Position::element_bytes;
    }
    return at;
  }

  static std::string label(const void* container) {
    return Traits::label(*static_cast<const Container*>(container));
  }
  static Ownership ownership(const void* container) {
    return Traits::ownership(*static_cast<const Container*>(container));
  }

  static constexpr FieldOperations table() {
    FieldOperations operations;
    operations.layout = &layout;
    operations.position = &position;
    operations.label = &label;
    operations.ownership = &ownership;
    if constexpr (requires { typename Traits::Staged; }) {
      using Staged = typename Traits::Staged;
      operations.allocate = [](void* container, const Room& room) -> void* {
        return new Staged(Traits::allocate(get(container), room));
      };
      operations.staged_layout = [](void* staged) {
        return Traits::staged_layout(*static_cast<Staged*>(staged));
      };
      operations.commit = [](void* container, void* staged) noexcept {
        Traits::commit(get(container), *static_cast<Staged*>(staged));
      };
      operations.discard = [](void* staged) noexcept { delete static_cast<Staged*>(staged); };
    }
    if constexpr (requires(Container & c) { Traits::changed(c); })
      operations.changed = [](void* container) noexcept { Traits::changed(get(container)); };
    if constexpr (requires(Container & c) { Traits::resized(c, std::int64_t{}); })
      operations.resized = [](void* container, std::int64_t count) noexcept {
        Traits::resized(get(container), count);
      };
    return operations;
  }
};

template <class Container>
inline constexpr FieldOperations operations_of = OperationsOf<Container>::table();

// New room for a field. If it is destroyed without commit(), the container stays as it was.
class EVENKEEL_API StagedField {
 public:
  StagedField(StagedField&&) noexcept;
  StagedField& operator=(StagedField&&) noexcept;
  ~StagedField();

  // Write the new values here, on the space that was given to stage().
  const FieldLayout& layout() const noexcept { return layout_; }

  // Gives the new values to the container. Before the call, fence kernels that read the old values
  // on other instances. Kernels that write the new values on the space of stage() need no fence. A
  // second call, or a call on a moved-from object, does nothing.
  void commit() noexcept;

 private:
  friend class evenkeel::Field;
  explicit StagedField(const Space& space) : space_(space) {}
  void discard() noexcept;

  Space space_;
  const FieldOperations* operations_ = nullptr;
  void* container_ = nullptr;
  void* staged_ = nullptr;  // with Placement::replace, of the container's type
  Buffer buffer_;           // with Placement::in_place
  FieldLayout layout_;
};

}  // namespace detail

class EVENKEEL_API Field {
 public:
  // Called by field_of().
  Field(void* container, const detail::FieldOperations& operations)
      : container_(container), operations_(&operations) {}

  FieldLayout layout() const { return operations_->layout(container_); }
  // The coordinates: the field itself, or the position inside its records.
  FieldLayout position() const { return operations_->position(container_); }
  // Sets the name in messages, which replaces that of the container.
  void set_name(const std::string& name) { name_ = name; }
  std::string label() const { return name_.empty() ? operations_->label(container_) : name_; }
  Ownership ownership() const { return operations_->ownership(container_); }
  const void* container() const noexcept { return container_; }

  // Notifies the container that its values have changed in place.
  void changed() const noexcept {
    if (operations_->changed != nullptr) operations_->changed(container_);
  }

  // Returns false if values would change in place and the container does not store its count. Then
  // another variable must store the count after a move.
  bool knows_its_count(detail::Placement placement) const;

  // Returns true if `count` objects fit into the present memory. If `is_counted` is set, another
  // variable stores the count.
  bool can_hold(std::int64_t count, bool is_counted) const;
  // Stores the new count, before values change in place. The count must fit into the memory.
  void resize_in_place(std::int64_t count) noexcept;

  // Makes room for `count` objects, uninitialised; the old values stay. Borrowed memory is always
  // staged in place, whatever `placement` says. Throws an Error if objects stay in place and do not
  // fit. Local.
  detail::StagedField stage(const Space& space, std::int64_t count,
                            detail::Placement placement) const;
  // The same, for a rank whose View was never given extents: the View gets the number of components
  // of `room`, which other ranks know. Throws an Error if there are objects and the field has
  // another number of components. Local.
  detail::StagedField stage(const Space& space, const Room& room,
                            detail::Placement placement) const;

 private:
  bool is_replaced(detail::Placement placement) const;

  void* container_;
  const detail::FieldOperations* operations_;
  std::string name_;  // if it is empty, messages use the label of the container
};

namespace detail {
// A variable and its name in messages, for containers without a label, such as vectors. named()
// makes it.
template <class Container>
struct Named {
  Container* container;
  std::string name;
};

template <class T>
inline constexpr bool is_named = false;
template <class Container>
inline constexpr bool is_named<Named<Container>> = true;
}  // namespace detail

// Names a variable in messages. The result refers to the variable and may replace it as an
// argument:
//   ek::carry(ek::named("mass", mass)), {.weight = ek::named("cost", cost)}
template <class Container>
auto named(std::string name, Container&& container) {
  static_assert(std::is_lvalue_reference_v<Container>,
                "evenkeel: a named field must be a variable; a temporary would lose what arrives");
  return detail::Named<std::remove_reference_t<Container>>{&container, std::move(name)};
}

// The field of a container. Compiles only for variables that can receive arriving objects.
template <class Container>
requires(!detail::is_named<std::remove_cvref_t<Container>>) auto field_of(Container&& container) {
  using Plain = std::remove_cvref_t<Container>;
  static_assert(std::is_lvalue_reference_v<Container>,
                "evenkeel: a field must be a variable; a temporary would lose what arrives");
  static_assert(!std::is_const_v<std::remove_reference_t<Container>>,
                "evenkeel: a const container cannot receive what arrives");
  static_assert(detail::KnownContainer<Plain>,
                "evenkeel: unknown container; include its adapter (evenkeel/core/field/...) or "
                "specialise evenkeel::FieldTraits for it");
  if constexpr (detail::KnownContainer<Plain>) {  // an unknown container gives one message, not a
                                                  // page
    using Element = typename FieldTraits<Plain>::Element;
    static_assert(!std::is_const_v<Element>,
                  "evenkeel: a field of const elements cannot receive what arrives");
    static_assert(std::is_trivially_copyable_v<Element>,
                  "evenkeel: elements travel as bytes, so their type must be trivially copyable");
    return Field(const_cast<Plain*>(&container), detail::operations_of<Plain>);
  }
}

// The same, with a name.
template <class Container>
Field field_of(const detail::Named<Container>& named) {
  Field field = field_of(*named.container);
  field.set_name(named.name);
  return field;
}

namespace detail {
// Objects that are adjacent in two orders: the object at place from + i in one order is at place to
// + i in the other.
struct ObjectRange {
  std::int64_t from, to, count;
  friend bool operator==(const ObjectRange&, const ObjectRange&) = default;
};
}  // namespace detail

// Copies the first `count` objects from one layout to another, which has the same type and number
// of values per object. Strides and memory may differ. The copy runs on `space` if it reaches both,
// otherwise on the space of their memory. Returns when the copy is complete. The two layouts must
// not overlap.
EVENKEEL_API void copy_objects(const Space& space, const FieldLayout& to, const FieldLayout& from,
                               std::int64_t count);

}  // namespace evenkeel
