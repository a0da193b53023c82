#pragma once

// How a set gets what arrives while most of its objects stay where they are: arrivals take the
// places that others have left, and objects from the end fill the rest. Memory that is too small is
// made anew, with slack.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/memory.hpp>
#include <evenkeel/core/field.hpp>
#include <evenkeel/core/migrate/plan.hpp>
#include <evenkeel/core/set.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace evenkeel {

class SetInPlace {
 public:
  // Allocates all memory, and writes nothing of the set's. Refers to the set. `components`: of each
  // field, as all ranks know them.
  SetInPlace(const Set& set, const SetPlan& plan, std::span<const int> components);

  // Where what arrives is to be written, in the order of arrival: one layout for each field.
  const std::vector<FieldLayout>& arrivals() const noexcept { return arrivals_; }

  void commit() noexcept;

 private:
  static constexpr std::size_t kinds = 3;  // of memory

  struct Lists {
    exec::Reached<std::int64_t> places;    // of arrivals
    exec::Reached<std::int64_t> from, to;  // of objects that fill holes
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
  std::vector<std::optional<StagedField>> renewed_;  // of each field: new memory, if it needs any
};

}  // namespace evenkeel
