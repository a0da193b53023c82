#include "decide/slow_ranks.hpp"

#include <evenkeel/backends/words.hpp>

namespace evenkeel {

namespace {

// A rank is slow if its work takes longer by this share, and is not any more below half of it.
constexpr double least_excess = 0.05;
// A pace is the mean of eight measurements. So after as many looks with the same slowest rank, the
// mean has no measurement from before.
constexpr int enough_times = 8, enough_calm = 4;
constexpr double newest = 0.1;  // weight of the newest value in a mean

double percent_of(double excess) { return 100 * std::expm1(excess); }

}  // namespace

bool SlowRanks::take_in(const Totals& look) noexcept {
  if (ranks_ < 2 || most_share_ <= 0) return false;
  const bool has_news = look.pace.took > 0 && judge(look.pace, look.step_greatest);
  if (look.pace.took > 0) price_ = static_cast<double>(look.pace.took);
  // At most two measurements are saved for, so that a long epoch does not pay for many later ones.
  saved_ = std::min(saved_ + most_share_ * static_cast<double>(look.duration.sum) /
                                 static_cast<double>(std::max<std::int64_t>(1, look.ranks)),
                    2 * price_);
  is_due_ = saved_ >= price_;
  if (is_due_) saved_ -= price_;
  return has_news;
}

// The others are compared with their mean. Among many ranks, one is far from the mean by chance.
bool SlowRanks::judge(const PaceTally& pace, std::int64_t step) noexcept {
  if (pace.known < 2) return false;
  const std::int64_t before = std::exchange(last_step_, step);
  const auto known = static_cast<double>(pace.known);
  const auto greatest = static_cast<double>(pace.greatest);
  const double others = (static_cast<double>(pace.sum) - greatest) / (known - 1);
  const double excess = (greatest - others) / PaceTally::unit;
  const double variance = static_cast<double>(pace.variance) / PaceTally::unit / known;
  variance_ = variance_ < 0 ? variance : variance_ + newest * (variance - variance_);
  const double error = std::sqrt(variance_ * (1 + 1 / (known - 1)));
  const bool stands_out = excess > least_excess / 2;
  if (!stands_out || pace.slowest != candidate_) {
    candidate_ = pace.slowest;
    since_ = before;
    times_ = 0;
  }
  times_ = stands_out ? std::min(times_ + 1, enough_times) : 0;
  // The slow rank is no slower than the slowest one.
  const bool is_calm = found_ && pace.slowest != found_.rank ? excess < least_excess : !stands_out;
  calm_ = is_calm ? std::min(calm_ + 1, enough_calm) : 0;

  if (found_ && calm_ == enough_calm) {
    lost_ = std::exchange(found_, {});
    return true;
  }
  const double chance = std::sqrt(16 + 2 * std::log(known));  // standard errors
  const bool is_known = found_.rank == pace.slowest;
  const bool is_slow = times_ == enough_times && excess > std::max(least_excess, chance * error);
  if (!is_slow && !(is_known && stands_out)) return false;
  excess_ = is_known ? excess_ + newest * (excess - excess_) : excess;
  found_.percent = percent_of(excess_);
  found_.error = 200 * error;
  found_.waiting = 100 * static_cast<double>(pace.waits) / PaceTally::unit;
  if (is_known) return false;
  found_.rank = static_cast<int>(pace.slowest);
  found_.since = since_;
  return true;
}

std::string SlowRanks::news() const {
  using detail::count_of;
  using detail::fixed;
  if (!found_)
    return "rank " + std::to_string(lost_.rank) + " is not slower than the other ranks any more";
  std::string text = "rank " + std::to_string(found_.rank) + " is " + fixed(found_.percent, 0) +
                     " +- " + fixed(std::max(1.0, found_.error), 0) +
                     " % slower than the other ranks, whatever its work is, since step " +
                     count_of(found_.since);
  if (found_.waiting >= 1)
    text += "; it waits for a core in " + fixed(found_.waiting, 0) + " % of its time";
  return text;
}

}  // namespace evenkeel
