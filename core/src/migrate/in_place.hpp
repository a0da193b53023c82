#pragma once

// Updates a set while most of its objects keep their places. Arrivals take the places of objects
// that have left; objects from the end fill the remaining holes. If the memory of a field is too
// small, the field gets new memory with room to spare.

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/migrate/plan.hpp>

#include <array>
#include <cstddef>
#include <optional>

namespace evenkeel {

class SetInPlace {
 public:
  // Allocates all memory, but changes nothing in the set yet. Refers to the set. `components` has
  // the number of components of each field, on which all ranks have agreed.
  SetInPlace(const Set& set, const SetPlan& plan, std::span<const int> components);

  // Memory to receive arrivals in, in the order of arrival: one layout for each field.
  const std::vector<FieldLayout>& arrivals() const noexcept { return arrivals_; }

  void commit() noexcept;

 private:
  static constexpr std::size_t kinds = 3;  // number of kinds of memory

  struct Lists {
    exec::Reached<std::int64_t> places;    // the place of each arrival
    exec::Reached<std::int64_t> from, to;  // objects at the end, and the holes that they fill
  };
  void list(const SetPlan& plan);
  void make_room(std::size_t field, int components);
  void fill_holes(const FieldLayout& to, const FieldLayout& from) const;
  void commit(std::size_t field) noexcept;
  const Lists& lists(MemoryKind kind) const { return *lists_[static_cast<std::size_t>(kind)]; }

  const Set& set_;
  std::vector<Field> fields_;
  std::int64_t before_, after_;
  exec::Array<std::int64_t> places_, from_, to_;
  std::array<std::optional<Lists>, kinds> lists_;
  std::vector<Buffer> buffers_;
  std::vector<FieldLayout> arrivals_;
  std::vector<std::optional<StagedField>> renewed_;  // new memory, for fields that need it
};

}  // namespace evenkeel
