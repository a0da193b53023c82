#pragma once

// Lists the messages that a move sends and receives.

#include "migrate/messages.hpp"

#include <evenkeel/core/migrate/move.hpp>

namespace evenkeel {

inline constexpr std::size_t memory_kinds = 3;
inline std::size_t index_of(MemoryKind kind) { return static_cast<std::size_t>(kind); }

// A message, and the place in each set where the objects begin that go to, or come from, the other
// rank.
struct Load {
  int rank;
  Message message;
  std::vector<std::int64_t> first;  // by set: an index in SetPlan::objects, or of an arrival
};

class Manifest {
 public:
  Manifest(std::span<const Set> sets, std::span<const SetShape> shapes, const Plan& plan,
           const MessageSizes& sizes);

  const std::vector<MessageColumn>& columns() const noexcept { return columns_; }
  bool uses(MemoryKind kind) const noexcept { return uses_[index_of(kind)]; }
  // In ascending order of ranks.
  const std::vector<Load>& leaving() const noexcept { return leaving_; }
  const std::vector<Load>& arriving() const noexcept { return arriving_; }
  std::int64_t sent_bytes() const noexcept;
  std::int64_t sent_bytes(std::size_t set) const { return sent_bytes_[set]; }
  std::int64_t received_bytes() const noexcept { return received_bytes_; }
  int partners() const noexcept { return static_cast<int>(partners_.size()); }

 private:
  void add_columns(std::span<const Set> sets, std::span<const SetShape> shapes);
  void add_loads(bool leaving);
  std::vector<ColumnShare> shares_of(std::span<const std::int64_t> first,
                                     std::span<const std::int64_t> objects, bool leaving) const;

  const Plan& plan_;
  MessageSizes sizes_;
  std::vector<MessageColumn> columns_;
  std::array<bool, memory_kinds> uses_ = {};
  std::vector<Load> leaving_, arriving_;
  std::vector<std::int64_t> sent_bytes_;  // by set
  std::int64_t received_bytes_ = 0;
  std::vector<int> partners_;
};

}  // namespace evenkeel
