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

// The pace of a rank is compared with the mean of the others. Among many ranks, one is far from the
// mean by chance.
struct SlowRanks::Paces {
  const PaceTally& tally;
  double known, error;

  // The logarithm of the time of a rank / that of the others.
  double excess(std::int64_t pace) const noexcept {
    const auto mine = static_cast<double>(pace);
    const double others = (static_cast<double>(tally.sum) - mine) / (known - 1);
    return (mine - others) / PaceTally::unit;
  }
  double waiting() const noexcept {
    return 100 * static_cast<double>(tally.waits) / PaceTally::unit;
  }
  double far_by_chance() const noexcept { return std::sqrt(16 + 2 * std::log(known)) * error; }
};

bool SlowRanks::judge(const PaceTally& pace, std::int64_t step) noexcept {
  if (pace.known < 2) return false;
  const std::int64_t before = std::exchange(last_step_, step);
  const auto known = static_cast<double>(pace.known);
  const double variance = static_cast<double>(pace.variance) / PaceTally::unit / known;
  variance_ = variance_ < 0 ? variance : variance_ + newest * (variance - variance_);
  const Paces paces = {pace, known, std::sqrt(variance_ * (1 + 1 / (known - 1)))};
  bool has_news = false;
  if (found_ && pace.of_slow > 0) {
    if (pace.slowest == found_.rank) found_.waiting = paces.waiting();
    has_news = follow(paces.excess(pace.of_slow), paces.error);
  }
  return search(paces, before) || has_news;
}

// The speed changes only if the measured one differs by more than the error, in as many looks as a
// pace remembers. So it does not follow noise, and one change of the pace leads to one new speed.
bool SlowRanks::follow(double excess, double error) noexcept {
  calm_ = excess > least_excess / 2 ? 0 : calm_ + 1;
  if (calm_ == enough_calm) {
    lost_ = std::exchange(found_, {});
    return true;
  }
  if (calm_ > 0) return false;
  excess_ += newest * (excess - excess_);
  found_.percent = percent_of(excess_);
  found_.error = 200 * error;
  const double miss = std::abs(excess_ + std::log(found_.speed));
  off_ = learns_ && miss > std::max(least_excess / 2, 2 * error) ? off_ + 1 : 0;
  if (off_ < enough_times) return false;
  if (std::abs(excess - excess_) > 2 * error) excess_ = excess;  // the mean has not followed yet
  found_.percent = percent_of(excess_);
  found_.speed = std::exp(-excess_);
  off_ = 0;
  return true;
}

// If a rank is known to be slow, another rank takes its place only if it is clearly slower.
bool SlowRanks::search(const Paces& paces, std::int64_t before) noexcept {
  const double excess = paces.excess(paces.tally.greatest);
  const bool stands_out = excess > least_excess / 2 && paces.tally.slowest != found_.rank;
  if (!stands_out || paces.tally.slowest != candidate_) {
    candidate_ = paces.tally.slowest;
    since_ = before;
    times_ = 0;
  }
  times_ = stands_out ? std::min(times_ + 1, enough_times) : 0;
  const double least = std::max(least_excess, paces.far_by_chance()) + (found_ ? excess_ : 0);
  if (times_ < enough_times || excess <= least) return false;
  excess_ = excess;
  calm_ = off_ = 0;
  found_ = {.rank = static_cast<int>(candidate_),
            .percent = percent_of(excess),
            .error = 200 * paces.error,
            .waiting = paces.waiting(),
            .since = since_,
            .speed = learns_ ? std::exp(-excess) : 1};
  return true;
}

std::string SlowRanks::news() const {
  using detail::count_of;
  using detail::fixed;
  if (!found_)
    return "rank " + std::to_string(lost_.rank) + " is not slower than the other ranks any more" +
           (learns_ ? "; all speeds are equal again" : "");
  std::string text = "rank " + std::to_string(found_.rank) + " is " + fixed(found_.percent, 0) +
                     " +- " + fixed(std::max(1.0, found_.error), 0) +
                     " % slower than the other ranks, whatever its work is, since step " +
                     count_of(found_.since);
  if (found_.waiting >= 1)
    text += "; it waits for a core in " + fixed(found_.waiting, 0) + " % of its time";
  if (learns_) text += "; from now on it counts with a speed of " + fixed(found_.speed, 2);
  return text;
}

}  // namespace evenkeel
