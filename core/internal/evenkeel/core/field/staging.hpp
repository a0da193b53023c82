#pragma once

// Checks sets before a move, and makes room for their new objects.

#include <evenkeel/core/field/set.hpp>

#include <span>
#include <vector>

namespace evenkeel {

// Calls check() for each set.
EVENKEEL_API void check_each(std::span<const Set> sets);

// Checks each set, and throws an Error if the sets cannot be moved together. Examples: two fields
// share memory; the application holds another copy of a View; a field keeps its memory, and neither
// the field nor the set stores the new count. Local.
EVENKEEL_API void check_movable(std::span<const Set> sets);
EVENKEEL_API void check_movable(const Set& set);

// New room for all fields of a set. If it is destroyed without commit(), the set does not change.
class EVENKEEL_API StagedSet {
 public:
  StagedSet(StagedSet&&) noexcept;
  StagedSet& operator=(StagedSet&&) noexcept;
  ~StagedSet();

  const std::vector<StagedField>& fields() const noexcept { return fields_; }

  // Gives all fields and the count variable their new values; see StagedField::commit.
  void commit() noexcept;

 private:
  friend EVENKEEL_API StagedSet stage(const Space& space, const Set& set, std::int64_t count,
                                      std::span<const int> components);
  StagedSet() = default;

  std::vector<StagedField> fields_;
  OwnedCount owned_;
  std::int64_t count_ = 0;
};

// Throws an Error if the set's count variable cannot hold `count`. Local.
EVENKEEL_API void check_new_count(const Set& set, std::int64_t count);

// The room that field `index` of a set needs for `count` objects in new memory. If the field can
// hold more memory than objects, the room is for `reserve` times `count` objects.
EVENKEEL_API Room room_for(const Set& set, std::size_t index, std::int64_t count, int components,
                           double reserve);

// Makes room for `count` objects in every field of a movable set, to be written on `space`. Throws
// if a field refuses; then nothing has changed. `components` is the number of components of each
// field, for ranks whose fields do not know it. If it is empty, the fields know their components.
// Local.
EVENKEEL_API StagedSet stage(const Space& space, const Set& set, std::int64_t count,
                             std::span<const int> components = {});

}  // namespace evenkeel
