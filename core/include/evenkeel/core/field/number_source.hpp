#pragma once

// Numbers in the application's own variables: the number of objects, and numbers for each object.
// The variables are read only when evenkeel needs the numbers.

#include <evenkeel/core/field.hpp>

#include <limits>
#include <optional>

namespace evenkeel {

namespace detail {
// A type that counts objects.
template <class T>
concept CountType = std::integral<T> && !std::same_as<T, bool> && !std::is_const_v<T>;
}  // namespace detail

// The number of owned objects at the front of the arrays; ghosts or slack may follow them.
//   unset         all objects are owned
//   .count = n    n objects are owned
//   .count = &n n objects are owned, and a committed move sets n to the new number
class OwnedCount {
 public:
  constexpr OwnedCount() = default;

  // From a number, which is not updated.
  template <detail::CountType T>
  constexpr OwnedCount(T count)  // NOLINT: implicit, for designated initialisers
      : value_(as_count(count)), given_(true) {}

  // From a variable, which gets the new number. It must outlive the set.
  template <detail::CountType T>
  constexpr OwnedCount(T* count)  // NOLINT: implicit, for designated initialisers
      : variable_(count), access_(&access_of<T>), given_(true) {}

  constexpr bool given() const noexcept { return given_; }
  constexpr bool is_updated() const noexcept { return access_ != nullptr; }
  const void* variable() const noexcept { return variable_; }
  // The present count; negative if it is not valid.
  std::int64_t value() const noexcept {
    if (access_ == nullptr) return value_;
    return variable_ == nullptr ? -1 : access_->load(variable_);
  }
  // The greatest number that the variable can hold.
  std::int64_t most() const noexcept {
    return access_ == nullptr ? std::numeric_limits<std::int64_t>::max() : access_->most;
  }
  void update(std::int64_t count) const noexcept {
    if (variable_ != nullptr) access_->store(variable_, count);
  }

 private:
  struct Access {
    std::int64_t (*load)(const void*) noexcept;
    void (*store)(void*, std::int64_t) noexcept;
    std::int64_t most;
  };

  template <class T>
  static constexpr std::int64_t as_count(T count) noexcept {
    return std::in_range<std::int64_t>(count) ? static_cast<std::int64_t>(count) : -1;
  }
  template <class T>
  static std::int64_t load(const void* variable) noexcept {
    return as_count(*static_cast<const T*>(variable));
  }
  template <class T>
  static void store(void* variable, std::int64_t count) noexcept {
    *static_cast<T*>(variable) = static_cast<T>(count);
  }
  template <class T>
  static constexpr Access access_of = {
      &load<T>, &store<T>,
      std::in_range<std::int64_t>(std::numeric_limits<T>::max())
          ? static_cast<std::int64_t>(std::numeric_limits<T>::max())
          : std::numeric_limits<std::int64_t>::max()};

  std::int64_t value_ = 0;
  void* variable_ = nullptr;
  const Access* access_ = nullptr;
  bool given_ = false;
};

// Numbers for each object, in a variable of any container that can be a field. They are only read,
// and only when the set or graph is used.
class NumberSource {
 public:
  NumberSource() = default;

  // From a variable, with or without a name, which must outlive the set. A temporary does not
  // compile.
  template <detail::KnownContainer Container>
  NumberSource(Container& weights)  // NOLINT: implicit, for designated initialisers
      : field_(Field(&weights, detail::operations_of<Container>)) {}
  template <detail::KnownContainer Container>
  NumberSource(const Container& weights)  // NOLINT: implicit, for designated initialisers
      : NumberSource(const_cast<Container&>(weights)) {}
  template <class Container>
  requires detail::KnownContainer<std::remove_const_t<Container>> NumberSource(
      const detail::Named<Container>& weights)  // NOLINT: implicit, for designated initialisers
      : NumberSource(*weights.container) {
    field_->set_name(weights.name);
  }
  template <detail::KnownContainer Container>
  NumberSource(Container&&) = delete;  // NOLINT: a temporary would be gone before it is read

  bool given() const noexcept { return field_.has_value(); }
  FieldLayout layout() const { return field_->layout(); }
  std::string label() const { return field_->label(); }
  const void* container() const noexcept { return field_->container(); }

  // True if the numbers are seconds; see costs().
  bool in_seconds() const noexcept { return in_seconds_; }

 private:
  friend NumberSource costs(NumberSource seconds);

  std::optional<Field> field_;
  bool in_seconds_ = false;
};

// Declares that weights are the measured seconds of each object:
//   {.weight = ek::costs(seconds)}
// Objects of sets without weights and without type costs then weigh the average seconds of an
// object.
inline NumberSource costs(NumberSource seconds) {
  seconds.in_seconds_ = true;
  return seconds;
}

}  // namespace evenkeel
