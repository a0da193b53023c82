#pragma once

// A set: fields that move together, one position and what it carries.
//
//   ek::set(position, ek::carry(velocity, mass, id), {.count = &owned, .weight = w})
//
// A Set refers to the application's variables and lives no longer than they do; it is made anew for
// each call that takes one.

#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/field.hpp>
#include <evenkeel/core/graph/description.hpp>
#include <evenkeel/core/number_source.hpp>
#include <evenkeel/core/payload.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace evenkeel {

// What objects may be said to be, by SetOptions::type and SetOptions::features.
inline constexpr int most_types = 16, most_features = 8;
inline constexpr int no_type = -1;

// What else is said of the objects of a set.
struct SetOptions {
  OwnedCount count = {};
  // What each object costs, where the application knows better than the measured default.
  NumberSource weight = {};
  // What each object is, from 0 to most_types - 1; no_type: nothing. Several integers per object
  // where it is several things at once. What a type costs is learned.
  NumberSource type = {};
  // Up to most_features numbers per object that its cost depends on: neighbours, particles in a
  // cell. Finite and not negative. What a unit of each costs is learned.
  NumberSource features = {};
  // What is thought of the costs of types, relative to each other, before anything is measured;
  // also what objects weigh in a deterministic run. 0, or beyond the end: nothing is thought.
  std::vector<double> type_costs = {};
  // A number by which each object is known for good, unlike its place in the arrays: what has been
  // learned of its cost follows it when the application makes, removes or sorts objects. One
  // integer per object, in a field that the set carries.
  NumberSource key = {};
  // Objects with the same number move together, whatever their ranks and sets; a negative number
  // means alone. One integer per object.
  NumberSource group = {};
  // Objects with a nonzero number stay on their rank. One integer per object.
  NumberSource pinned = {};
  // How the objects are connected, which the method ByGraph cuts: a row for each owned object. It
  // is read whenever objects are placed and must describe them as they then are.
  std::optional<Graph> graph = std::nullopt;
  // Pointers stay as they are and new values are copied back, as far as the capacity reaches.
  bool keep_allocation = false;
  // At least 1: memory is kept as long as the objects fit into it, and then made anew with room for
  // this many times their number. Views need `.count = &owned` for it. 0: each move makes memory of
  // the right size.
  double reserve = 0;
  // Views that are also held elsewhere may be replaced; the other holders keep the old values.
  bool allow_aliases = false;
};

// Fields and payloads on their way into a set.
struct Carried {
  std::vector<Field> fields;
  std::vector<std::shared_ptr<const Payload>> payloads = {};
};

namespace detail {
template <class T>
void add(Carried& carried, T&& carries) {
  if constexpr (std::convertible_to<T, std::shared_ptr<const Payload>> &&
                !std::same_as<std::remove_cvref_t<T>, std::nullptr_t>)
    carried.payloads.push_back(std::forward<T>(carries));
  else
    carried.fields.push_back(field_of(std::forward<T>(carries)));
}

// What belongs into carry(), for overloads that say so where it is given without.
template <class T>
concept Carriable = KnownContainer<std::remove_cvref_t<T>> || is_named<std::remove_cvref_t<T>> ||
    (std::convertible_to<T, std::shared_ptr<const Payload>> &&
     !std::same_as<std::remove_cvref_t<T>, std::nullptr_t>);
template <class Result, class T>
Result refuse_without_carry() {
  static_assert(!Carriable<T>,
                "evenkeel: what moves along goes into carry: (position, ek::carry(mass, id))");
  return {};
}
}  // namespace detail

// What moves along with the position. Each argument is a variable that evenkeel knows as a field,
// or a payload.
template <class... Carries>
Carried carry(Carries&&... carries) {
  Carried carried;
  (detail::add(carried, std::forward<Carries>(carries)), ...);
  return carried;
}

class EVENKEEL_API Set {
 public:
  // See set().
  Set(Field position, Carried carried, const SetOptions& options);

  // The number of owned objects, right now.
  std::int64_t count() const;
  // The coordinates of the owned objects.
  FieldLayout position() const;
  // All fields that move, the position's first.
  const std::vector<Field>& fields() const noexcept { return fields_; }
  // Data that moves with them and is not of one size.
  const std::vector<std::shared_ptr<const Payload>>& payloads() const noexcept { return payloads_; }
  const SetOptions& options() const noexcept { return options_; }

  // Adds a field that travels along but does not belong to the application, such as weights kept
  // for it. It is re-allocated whatever the options say of the application's own fields.
  void accompany(Field field);
  bool is_companion(std::size_t index) const noexcept {
    return index >= fields_.size() - companions_;
  }

  // "the position 'x'" or "field 2, 'mass',": how messages name field `index` of fields().
  std::string describe(std::size_t index) const;

 private:
  std::vector<Field> fields_;
  std::vector<std::shared_ptr<const Payload>> payloads_;
  std::size_t companions_ = 0;  // at the end of fields_
  SetOptions options_;
};

// A set of variables: one position, and what it carries.
template <class Container>
Set set(Container&& position, Carried carried = {}, const SetOptions& options = {}) {
  return Set(field_of(std::forward<Container>(position)), std::move(carried), options);
}

// Fields beside the position without carry(): does not compile.
template <class Container, detail::Carriable Carries, detail::Carriable... Others>
Set set(Container&& position, Carries&&, Others&&...) {
  return set(position, detail::refuse_without_carry<Carried, Carries>());
}
template <class Container, detail::Carriable Carries>
Set set(Container&& position, Carries&&, const SetOptions&) {
  return set(position, detail::refuse_without_carry<Carried, Carries>());
}

// Throws an Error when the set makes no sense: a position that is not two or three floats or
// doubles, a field of the wrong length, a count that does not fit, weights that are not numbers.
// Sufficient for functions that only read. Local: vote on it before anything collective.
EVENKEEL_API void check(const Set& set);

// Checks each set, and throws when the sets cannot be changed together as they are: two fields, of
// one set or of two, share memory; a View is also held elsewhere; or memory keeps its place and
// nobody would store the new count. Local.
EVENKEEL_API void check_movable(std::span<const Set> sets);
EVENKEEL_API void check_movable(const Set& set);

// New room for all fields of a set. Destroyed without commit() it leaves the set as it was.
class EVENKEEL_API StagedSet {
 public:
  StagedSet(StagedSet&&) noexcept;
  StagedSet& operator=(StagedSet&&) noexcept;
  ~StagedSet();

  const std::vector<StagedField>& fields() const noexcept { return fields_; }

  // All fields and the count variable take the new values over; see StagedField::commit.
  void commit() noexcept;

 private:
  friend EVENKEEL_API StagedSet stage(const Space& space, const Set& set, std::int64_t count,
                                      std::span<const int> components);
  StagedSet() = default;

  std::vector<StagedField> fields_;
  OwnedCount owned_;
  std::int64_t count_ = 0;
};

// Throws an Error if the set's count variable cannot hold a number. Local.
EVENKEEL_API void check_new_count(const Set& set, std::int64_t count);

// The room to ask for when field `index` of a set is to hold `count` objects in new memory, with
// slack for `reserve` times as many if the field can have slack.
EVENKEEL_API Room room_for(const Set& set, std::size_t index, std::int64_t count, int components,
                           double reserve);

// Room for `count` objects in every field of a movable set, to be written on `space`. Throws when a
// field refuses; then nothing has changed. `components`: of each field, in case this rank does not
// know them; empty: those of the fields. Local.
EVENKEEL_API StagedSet stage(const Space& space, const Set& set, std::int64_t count,
                             std::span<const int> components = {});

}  // namespace evenkeel
