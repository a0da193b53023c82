#pragma once

// Objects in host memory. Each thread works on a share of them.

#include "cut/objects.hpp"

#include <evenkeel/backends/exec/array.hpp>

namespace evenkeel {

class HostObjects final : public CutObjects {
 public:
  HostObjects(std::span<const WeightedKeys> sets, std::int64_t most_bins);

  void weigh(const Units& units) noexcept override { units_ = units; }
  std::span<std::int64_t> count_all(std::uint64_t base, Division division) noexcept override;
  std::span<std::int64_t> keep_of_all(std::uint64_t base,
                                      const NarrowingStep& step) noexcept override;
  std::span<std::int64_t> keep_of_kept(const NarrowingStep& step) noexcept override;
  std::int64_t kept() const noexcept override;
  std::vector<Item> kept_items() const override;
  std::vector<CurveKey> sample(std::int64_t every) const override;
  std::span<std::int64_t> count_between(std::span<const CurveKey> boundaries) noexcept override;
  std::vector<Item> items_in(std::span<const KeyRange> ranges) const override;

 private:
  // The objects of one set that one thread works on. Its kept objects are stored in kept_ from
  // `offset` on.
  struct Block {
    std::size_t set;
    std::int64_t begin, end, offset;
    std::int64_t kept = 0;
  };
  // A kept object, counted from the begin of its block, and the interval that its key is in.
  struct Kept {
    std::uint32_t object;
    std::int32_t interval;
  };
  static constexpr std::int64_t most_objects_of_a_block = std::int64_t{1} << 32;

  template <class Body>
  void for_each_thread(const Body& body) const noexcept;
  template <class Add>
  std::span<std::int64_t> histogram(std::int64_t bins, const Add& add) noexcept;
  template <class Visit>
  void visit(const Block& block, std::int64_t begin, std::int64_t end,
             const Visit& visit) const noexcept;
  template <class Visit>
  void visit_kept(const Block& block, std::int64_t begin, std::int64_t end,
                  const Visit& visit) const noexcept;
  void count_kept(const Block& block, std::int64_t begin, std::int64_t end, Division division,
                  std::int64_t* bins) const noexcept;

  const double* weights_of(const WeightedKeys& set) const noexcept;

  std::span<const WeightedKeys> sets_;
  Units units_;
  int threads_;
  std::vector<std::vector<Block>> blocks_;  // by thread
  std::vector<std::vector<std::int64_t>> bins_;
  exec::Array<Kept> kept_;
};

}  // namespace evenkeel
