#pragma once

// A cloud in the form of the objects of a cut. The search of core runs on one rank and reads the
// sums over all ranks from it. The search is that of the library; only the objects are imaginary.

#include "cloud.hpp"
#include "cut/objects.hpp"

namespace evenkeel::scale {

// All objects weigh the same.
class CloudObjects final : public CutObjects {
 public:
  CloudObjects(const Cloud& cloud, std::int64_t most_bins);

  void weigh(const Units& units) noexcept override { one_ = units.one(); }
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
  std::span<std::int64_t> keep(const NarrowingStep& step) noexcept;
  std::span<std::int64_t> weighed(std::size_t bins) noexcept;

  const Cloud& cloud_;
  std::int64_t one_ = 1;
  std::vector<CloudStretch> intervals_, next_;
  std::vector<std::int64_t> bins_;
};

}  // namespace evenkeel::scale
