#pragma once

// Objects that only the application can pack: a std::vector of blocks, patches or trees.
//
//   auto packed = ek::blocks(patches, {
//       .bytes = [](const Patch& patch) { return patch.packed_bytes(); },
//       .pack = [](const Patch& patch, std::span<std::byte> to) { return patch.write(to); },
//       .unpack = [](Patch& patch, std::span<const std::byte> from) { return patch.read(from); }});
//   ek::set(centre, ek::carry(level, packed))
//
// Blocks that stay are moved, never packed. For the host only.

#include <evenkeel/backends/error.hpp>
#include <evenkeel/core/field/payload.hpp>

#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

namespace evenkeel {

// The application's functions. If one of them throws, this rank fails, and the move is undone on
// all ranks. Each call gets one block and must not change other blocks. The calls may come in any
// order.
template <class Block>
struct BlockFunctions {
  std::function<std::int64_t(const Block&)> bytes;
  // Both return the number of bytes that they have used, which must be the result of bytes().
  std::function<std::int64_t(const Block&, std::span<std::byte> to)> pack;
  std::function<std::int64_t(Block&, std::span<const std::byte> from)> unpack;
};

namespace detail {

// Both throw an Error of the application's if its numbers do not fit.
EVENKEEL_API void require_all_used(const char* function, std::int64_t used, std::int64_t bytes);
EVENKEEL_API void require_blocks(std::int64_t blocks, std::int64_t count, bool functions);

template <class Block>
class StagedBlocks final : public Payload::Staged {
 public:
  StagedBlocks(std::vector<Block>& blocks, const BlockFunctions<Block>& functions,
               std::int64_t count)
      : blocks_(blocks), functions_(functions), fresh_(static_cast<std::size_t>(count)) {
    kept_.reserve(blocks.size());
  }

  void pack(const Payload::Piece& piece, std::byte* message) override {
    for_each(piece, [&](std::int64_t block, std::int64_t offset, std::int64_t bytes) {
      const std::span to(message + offset, static_cast<std::size_t>(bytes));
      require_all_used("pack", functions_.pack(blocks_[static_cast<std::size_t>(block)], to),
                       bytes);
    });
  }
  void unpack(const Payload::Piece& piece, const std::byte* message) override {
    for_each(piece, [&](std::int64_t block, std::int64_t offset, std::int64_t bytes) {
      const std::span from(message + offset, static_cast<std::size_t>(bytes));
      require_all_used("unpack", functions_.unpack(fresh_[static_cast<std::size_t>(block)], from),
                       bytes);
    });
  }
  void keep(const std::int64_t* objects, const std::int64_t* places, std::int64_t count) override {
    for (std::int64_t k = 0; k < count; ++k)
      kept_.push_back({static_cast<std::size_t>(objects[k]), static_cast<std::size_t>(places[k])});
  }
  void commit() noexcept override {
    for (const auto& [object, place] : kept_) fresh_[place] = std::move(blocks_[object]);
    blocks_.swap(fresh_);
  }

 private:
  template <class Function>
  static void for_each(const Payload::Piece& piece, const Function& function) {
    for (std::int64_t k = 0; k < piece.count; ++k)
      function(piece.objects[k], piece.starts[k] - piece.base,
               piece.starts[k + 1] - piece.starts[k]);
  }

  std::vector<Block>& blocks_;
  const BlockFunctions<Block>& functions_;
  std::vector<Block> fresh_;
  std::vector<std::pair<std::size_t, std::size_t>> kept_;
};

template <class Block>
class Blocks final : public Payload {
 public:
  Blocks(std::vector<Block>& blocks, BlockFunctions<Block> functions)
      : blocks_(blocks), functions_(std::move(functions)) {}

  std::string label() const override { return "blocks"; }
  const void* container() const override { return &blocks_; }
  MemoryKind memory() const override { return MemoryKind::host; }
  std::int64_t unit_bytes() const override { return 1; }
  void check(std::int64_t count, const SetOptions&) const override {
    require_blocks(std::ssize(blocks_), count,
                   functions_.bytes && functions_.pack && functions_.unpack);
  }
  void write_sizes(std::span<std::int64_t> sizes) const override {
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = functions_.bytes(blocks_[i]);
  }
  std::unique_ptr<Payload::Staged> stage(std::int64_t,
                                         std::span<const std::int64_t> sizes) const override {
    return std::make_unique<StagedBlocks<Block>>(blocks_, functions_, std::ssize(sizes));
  }

 private:
  std::vector<Block>& blocks_;
  BlockFunctions<Block> functions_;
};

}  // namespace detail

// Makes the payload of a variable that holds one block per object. The variable must outlive it.
template <class Block>
std::shared_ptr<const Payload> blocks(std::vector<Block>& all, BlockFunctions<Block> functions) {
  static_assert(std::is_default_constructible_v<Block> && std::is_nothrow_move_assignable_v<Block>,
                "evenkeel: a block must be default constructible, for objects that arrive, and "
                "movable without exceptions, for objects that stay");
  return std::make_shared<detail::Blocks<Block>>(all, std::move(functions));
}

}  // namespace evenkeel
