#pragma once

// Lists of bounded length that take streams of any length.

#include <cstddef>
#include <utility>
#include <vector>

namespace evenkeel::tool::report {

// Joins neighbours: each entry combines the same number of consecutive values, except that the last
// entry may combine fewer. T has join(const T&), which combines it with the value that follows.
template <class T>
class Folding {
 public:
  // `capacity` is the greatest number of entries, and even.
  explicit Folding(std::size_t capacity) : capacity_(capacity) {}

  void add(T value) {
    if (in_last_ == per_entry_ || entries_.empty()) {
      if (entries_.size() == capacity_) fold();
      entries_.push_back(std::move(value));
      in_last_ = 1;
    } else {
      entries_.back().join(value);
      ++in_last_;
    }
  }
  const std::vector<T>& entries() const noexcept { return entries_; }
  std::vector<T> take() && { return std::move(entries_); }
  std::size_t per_entry() const noexcept { return per_entry_; }

 private:
  void fold() {
    for (std::size_t i = 0; i < entries_.size() / 2; ++i) {
      if (i > 0) entries_[i] = std::move(entries_[2 * i]);
      entries_[i].join(entries_[2 * i + 1]);
    }
    entries_.resize(entries_.size() / 2);
    per_entry_ *= 2;
  }

  std::size_t capacity_, per_entry_ = 1, in_last_ = 0;
  std::vector<T> entries_;
};

// Leaves out values: keeps the first of every stride() consecutive values.
template <class T>
class Thinning {
 public:
  explicit Thinning(std::size_t capacity) : capacity_(capacity) {}

  void add(T value) {
    if (seen_++ % stride_ != 0) return;
    if (entries_.size() == capacity_) {
      thin();
      if ((seen_ - 1) % stride_ != 0) return;
    }
    entries_.push_back(std::move(value));
  }
  std::vector<T> take() && { return std::move(entries_); }
  std::size_t seen() const noexcept { return seen_; }
  std::size_t stride() const noexcept { return stride_; }

 private:
  void thin() {
    for (std::size_t i = 1; 2 * i < entries_.size(); ++i) entries_[i] = std::move(entries_[2 * i]);
    entries_.resize((entries_.size() + 1) / 2);
    stride_ *= 2;
  }

  std::size_t capacity_, stride_ = 1, seen_ = 0;
  std::vector<T> entries_;
};

}  // namespace evenkeel::tool::report
