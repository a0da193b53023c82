#pragma once

// Two sources of sums: weights, and a prefix sum that the caller has computed. Both are read once,
// and are checked while they are read. After the check, all weights and their total are finite and
// not negative. The greatest weight of each chunk of items is stored.

#include "chain/sums.hpp"

#include <array>
#include <cmath>
#include <iterator>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace evenkeel::chain_search {

// Weights, and the sums at the begin of each block. Within a block, weights are summed from 0, and
// the result is added to the sum before the block. So blocks can be summed independently, and the
// order of additions is the same on every machine.
template <class Number_>
class FromWeights {
 public:
  using Number = Number_;
  // Integers are added as unsigned numbers, so that an overflow has a defined result. The sign bit
  // of the sum then shows the overflow.
  using Sum = std::conditional_t<std::is_integral_v<Number>, std::uint64_t, double>;

  struct Running {
    Sum before, inside;
    Number value() const noexcept { return static_cast<Number>(before + inside); }
  };

  static std::int64_t items_in(std::span<const Number> weights) noexcept {
    return std::ssize(weights);
  }

  explicit FromWeights(std::span<const Number> weights)
      : weights_(weights), sums_(weights.size() / block + 1) {
    maxima_.reserve(weights.size() / chunk + 1);
    for_each_chunk(items(),
                   [this](std::int64_t begin, std::int64_t end) { add_chunk(begin, end); });
    if (wrong_ != 0 || !std::isfinite(static_cast<double>(total_))) find_what_is_wrong();
  }

  std::int64_t items() const noexcept { return items_in(weights_); }
  Number total() const noexcept { return total_; }
  Number weight(std::int64_t item) const noexcept { return weights_[index_of(item)]; }
  std::span<const Number> maxima() const noexcept { return maxima_; }

 protected:
  Number block_sum(std::int64_t k) const noexcept { return sums_[index_of(k)]; }
  Running before_block(std::int64_t k) const noexcept {
    return {static_cast<Sum>(block_sum(k)), Sum{0}};
  }
  void extend(Running& running, std::int64_t item) const noexcept {
    running.inside += static_cast<Sum>(weight(item));
  }

 private:
  // Reads the weights of a chunk once. Sums are added in order. The maxima, whose order does not
  // matter, are found in independent lanes.
  void add_chunk(std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t lanes = 4;
    std::array<Number, lanes> most = {};
    std::array<std::uint64_t, lanes> wrong = {};
    std::int64_t i = begin;
    for (; i + block <= end; i += block) {
      const Number* const weights = weights_.data() + i;
      sums_[index_of(i / block)] = total_;
      Sum inside = 0;
      for (std::int64_t j = 0; j < block; ++j) {
        inside += static_cast<Sum>(weights[j]);
        if constexpr (std::is_integral_v<Number>) wrong[0] |= inside >> 63U;
      }
      for (std::int64_t j = 0; j < block; j += lanes)
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
          Number& of_lane = most[index_of(lane)];
          of_lane = weights[j + lane] > of_lane ? weights[j + lane] : of_lane;
          wrong[index_of(lane)] |= weights[j + lane] >= 0 ? 0U : 1U;
        }
      add_to_total(inside);
    }
    if (i < end || end == items()) add_rest(i, end, most[0], wrong[0]);
    for (const std::uint64_t lane : wrong) wrong_ |= lane;
    maxima_.push_back(*std::max_element(most.begin(), most.end()));
  }

  // Adds the last block if it is not full.
  void add_rest(std::int64_t begin, std::int64_t end, Number& most, std::uint64_t& wrong) {
    sums_[index_of(begin / block)] = total_;
    Sum inside = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      inside += static_cast<Sum>(weight(i));
      if constexpr (std::is_integral_v<Number>) wrong |= inside >> 63U;
      most = std::max(most, weight(i));
      wrong |= weight(i) >= 0 ? 0U : 1U;
    }
    add_to_total(inside);
  }

  void add_to_total(Sum inside) noexcept {
    const Sum sum = static_cast<Sum>(total_) + inside;
    if constexpr (std::is_integral_v<Number>) wrong_ |= sum >> 63U;
    total_ = static_cast<Number>(sum);
  }

  [[noreturn]] void find_what_is_wrong() const {
    for (std::int64_t i = 0; i < items(); ++i)
      if (!(weight(i) >= 0) || !std::isfinite(static_cast<double>(weight(i))))
        refuse("The weight of item " + std::to_string(i) + " is negative, NaN or infinite.",
               "Weights are finite and not negative.");
    refuse("The sum of the weights overflows.", "Divide all weights by a common factor.");
  }

  std::span<const Number> weights_;
  std::vector<Number> sums_, maxima_;
  Number total_ = 0;
  std::uint64_t wrong_ = 0;  // not 0 if a weight is not valid or an integer sum overflows
};

// A prefix sum that the caller has computed.
template <class Number_>
class FromPrefix {
 public:
  using Number = Number_;

  struct Running {
    Number sum;
    Number value() const noexcept { return sum; }
  };

  static std::int64_t items_in(std::span<const Number> prefix) noexcept {
    return std::max<std::int64_t>(std::ssize(prefix) - 1, 0);
  }

  explicit FromPrefix(std::span<const Number> prefix) : prefix_(prefix) {
    if (prefix.empty() || prefix.front() != 0)
      refuse("A prefix sum does not begin with 0.",
             "Begin with 0, and give one more value than there are items.");
    maxima_.reserve(prefix.size() / chunk + 1);
    for_each_chunk(items(),
                   [this](std::int64_t begin, std::int64_t end) { add_chunk(begin, end); });
    if (!std::isfinite(static_cast<double>(total())))
      refuse("A prefix sum is infinite.", "Divide all weights by a common factor.");
  }

  std::int64_t items() const noexcept { return std::ssize(prefix_) - 1; }
  Number total() const noexcept { return prefix_.back(); }
  Number weight(std::int64_t item) const noexcept {
    return prefix_[index_of(item) + 1] - prefix_[index_of(item)];
  }
  std::span<const Number> maxima() const noexcept { return maxima_; }

 protected:
  Number block_sum(std::int64_t k) const noexcept { return prefix_[index_of(k * block)]; }
  Running before_block(std::int64_t k) const noexcept { return {block_sum(k)}; }
  void extend(Running& running, std::int64_t item) const noexcept {
    running.sum = prefix_[index_of(item) + 1];
  }

 private:
  void add_chunk(std::int64_t begin, std::int64_t end) {
    const Number* const prefix = prefix_.data();
    std::uint64_t wrong = 0;
    for (std::int64_t i = begin; i < end; ++i) wrong |= prefix[i + 1] >= prefix[i] ? 0U : 1U;
    if (wrong != 0)
      refuse("A prefix sum decreases, or is NaN.", "Weights are finite and not negative.");
    Number most = 0;
    for (std::int64_t i = begin; i < end; ++i) most = std::max(most, weight(i));
    maxima_.push_back(most);
  }

  std::span<const Number> prefix_;
  std::vector<Number> maxima_;
};

}  // namespace evenkeel::chain_search
