#pragma once

// Checks of sets, and new room for them.

#include <evenkeel/core/field/set.hpp>

#include <span>
#include <vector>

namespace evenkeel {

// Checks each of several sets.
EVENKEEL_API void check_each(std::span<const Set> sets);

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
