#include "exhaust.hpp"

#include "sorted.hpp"

#include <algorithm>
#include <limits>

namespace evenkeel::assigning {

namespace {

class Tree {
 public:
  Tree(const Problem& problem, double lambda, std::int64_t most_tries)
      : problem_(problem),
        tries_(most_tries),
        map_(static_cast<std::size_t>(problem.blocks), -1),
        loads_(static_cast<std::size_t>(problem.ranks) * static_cast<std::size_t>(problem.phases)),
        work_(static_cast<std::size_t>(problem.ranks)),
        bytes_(work_),
        counts_(work_),
        most_(static_cast<std::size_t>(problem.phases), 0.0) {
    average_ = static_cast<double>(problem.total) / problem.speed;
    best_ = average_ > 0 ? lambda * average_ : std::numeric_limits<double>::infinity();
    std::vector<std::uint64_t> keys;
    for (const std::int64_t work : problem.work)
      keys.push_back(static_cast<std::uint64_t>(no_cap - work));
    order_ = sorted_by(std::move(keys));
    // Ranks with equal speeds and caps are interchangeable: only the first empty one is tried.
    for (int r = 0; r < problem.ranks; ++r) {
      int like = 0;
      while (!alike(like, r)) ++like;
      like_.push_back(like);
    }
  }

  Exhausted run() {
    place(0);
    return {tries_ > 0, std::move(found_), average_ > 0 ? std::max(1.0, best_ / average_) : 1.0};
  }

 private:
  bool alike(int a, int b) const {
    return at(problem_.speeds, a) == at(problem_.speeds, b) &&
           problem_.memory_of(a) == problem_.memory_of(b) &&
           problem_.capacity_of(a) == problem_.capacity_of(b);
  }
  bool fits(int r, int i) const {
    return at(counts_, r) < problem_.most_blocks &&
           at(bytes_, r) <= problem_.memory_of(r) - at(problem_.bytes, i) &&
           at(work_, r) <= problem_.capacity_of(r) - at(problem_.work, i);
  }
  void add(int r, int i, int sign) {
    at(counts_, r) += sign;
    at(bytes_, r) += sign * at(problem_.bytes, i);
    at(work_, r) += sign * at(problem_.work, i);
    for (int p = 0; p < problem_.phases; ++p)
      at(loads_, std::int64_t{r} * problem_.phases + p) += sign * problem_.cost(p, i);
  }
  // The time of a step: of each phase at least its average.
  double step() const {
    double sum = 0;
    for (int p = 0; p < problem_.phases; ++p)
      sum += std::max(at(most_, p), static_cast<double>(at(problem_.totals, p)) / problem_.speed);
    return sum;
  }
  void place(int depth) {
    if (depth == problem_.blocks) {
      if (step() >= best_) return;
      best_ = step();
      found_ = map_;
      return;
    }
    const int i = at(order_, depth);
    for (int r = 0; r < problem_.ranks && tries_ > 0; ++r) {
      if (!fits(r, i)) continue;
      if (at(counts_, r) == 0 && has_empty_before(r)) continue;
      --tries_;
      const std::vector<double> most = most_;
      add(r, i, 1);
      for (int p = 0; p < problem_.phases; ++p)
        at(most_, p) = std::max(
            at(most_, p), static_cast<double>(at(loads_, std::int64_t{r} * problem_.phases + p)) /
                              at(problem_.speeds, r));
      at(map_, i) = r;
      if (step() < best_) place(depth + 1);
      add(r, i, -1);
      most_ = most;
    }
  }
  bool has_empty_before(int r) const {
    for (int other = at(like_, r); other < r; ++other)
      if (at(counts_, other) == 0 && at(like_, other) == at(like_, r)) return true;
    return false;
  }

  const Problem& problem_;
  std::int64_t tries_;
  double average_ = 0, best_ = 0;
  std::vector<int> order_, map_, found_, like_;
  std::vector<std::int64_t> loads_, work_, bytes_, counts_;
  std::vector<double> most_;
};

}  // namespace

Exhausted exhaust(const Problem& problem, double lambda, std::int64_t most_tries) {
  return Tree(problem, lambda, most_tries).run();
}

}  // namespace evenkeel::assigning
