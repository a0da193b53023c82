#pragma once

// Finds a rank that is slower than the others, whatever its objects are, from the paces of ranks
// (observe/pace.hpp). All ranks get the same totals, and so the same results.

#include "observe/epoch.hpp"

#include <evenkeel/monitor/metrics.hpp>

#include <string>

namespace evenkeel {

class SlowRanks {
 public:
  // `most_share` is the most of their time that ranks may spend on measuring their pace; 0 is off.
  // If `learns` is true, the pace of the slow rank becomes its speed.
  SlowRanks(std::int64_t ranks, double most_share, bool learns)
      : ranks_(ranks), most_share_(most_share), learns_(learns) {}

  // True if the ranks measure their pace at the end of this epoch.
  bool is_due() const noexcept { return is_due_; }
  // True if the slow rank gets a speed.
  bool learns() const noexcept { return learns_; }
  // Takes in the totals of a look. Returns true if there is news for the log. The speed of a rank
  // changes only with news.
  bool take_in(const Totals& look) noexcept;
  // The slow rank, if one is known.
  const Metrics::SlowRank& found() const noexcept { return found_; }
  // The news as a sentence.
  std::string news() const;

 private:
  struct Paces;

  bool judge(const PaceTally& pace, std::int64_t step) noexcept;
  bool follow(double excess, double error) noexcept;
  bool search(const Paces& paces, std::int64_t before) noexcept;

  std::int64_t ranks_;
  double most_share_;
  bool learns_;
  bool is_due_ = ranks_ > 1 && most_share_ > 0;
  double saved_ = 0, price_ = 0;    // nanoseconds: to spend on a measurement, and that one takes
  Metrics::SlowRank found_, lost_;  // lost_: the slow rank that is not slow any more
  double variance_ = -1;            // of the error of a pace; less than 0 if unknown
  double excess_ = 0;               // of the slow rank: the logarithm of its time / that of others
  // The rank that has been the slowest in the last looks, and the step after which it was.
  std::int64_t candidate_ = -1, since_ = 0, last_step_ = 0;
  // Looks in a row: with this candidate; in which the rank that was slow is not; and in which its
  // speed is not the measured one.
  int times_ = 0, calm_ = 0, off_ = 0;
};

}  // namespace evenkeel
