#pragma once

// What an application says of its objects in variables of its own, which are read when they are
// used: how many there are, and numbers for each of them.

#include <evenkeel/core/field.hpp>

#include <limits>
#include <optional>

namespace evenkeel {

// A type that counts objects.
template <class T>
concept CountType = std::integral<T> && !std::same_as<T, bool> && !std::is_const_v<T>;

// How many objects at the front of the arrays are owned; ghosts or slack stand behind them.
//   unset         all of them
//   .count = n    n of them
//   .count = &n   n of them, and n is set to the new number when a move is committed
class OwnedCount {
 public:
  constexpr OwnedCount() = default;

  // A number, or a variable that gets the new number.
  template <CountType T>
  constexpr OwnedCount(T count)  // NOLINT: implicit, for designated initialisers
      : value_(as_count(count)), given_(true) {}

  // A variable, which must outlive the set.
  template <CountType T>
  constexpr OwnedCount(T* count)  // NOLINT: implicit, for designated initialisers
      : variable_(count), access_(&access_of<T>), given_(true) {}

  constexpr bool given() const noexcept { return given_; }
  constexpr bool is_updated() const noexcept { return access_ != nullptr; }
  const void* variable() const noexcept { return variable_; }
  // The count now; negative when it is not valid.
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

// One number per object, in a variable of any container that can be a field. It is only read, and
// only when the set is used.
class NumberSource {
 public:
  NumberSource() = default;

  // A variable, also a named one, that outlives the set; a temporary does not compile.
  template <KnownContainer Container>
  NumberSource(Container& weights)  // NOLINT: implicit, for designated initialisers
      : field_(Field(&weights, detail::operations_of<Container>)) {}
  template <KnownContainer Container>
  NumberSource(const Container& weights)  // NOLINT: implicit, for designated initialisers
      : NumberSource(const_cast<Container&>(weights)) {}
  template <class Container>
  requires KnownContainer<std::remove_const_t<Container>> NumberSource(
      const Named<Container>& weights)  // NOLINT: implicit, for designated initialisers
      : NumberSource(*weights.container) {
    field_->set_name(weights.name);
  }
  template <KnownContainer Container>
  NumberSource(Container&&) = delete;  // NOLINT: a temporary would be gone before it is read

  bool given() const noexcept { return field_.has_value(); }
  FieldLayout layout() const { return field_->layout(); }
  std::string label() const { return field_->label(); }
  const void* container() const noexcept { return field_->container(); }

  // Whether the numbers are seconds, see costs().
  bool in_seconds() const noexcept { return in_seconds_; }

 private:
  friend NumberSource costs(NumberSource seconds);

  std::optional<Field> field_;
  bool in_seconds_ = false;
};

// Weights that are the seconds which each object took, as the application has measured them:
//   {.weight = ek::costs(seconds)}
// Sets without weights are then weighed in the same unit, by what objects take on average.
inline NumberSource costs(NumberSource seconds) {
  seconds.in_seconds_ = true;
  return seconds;
}

}  // namespace evenkeel
