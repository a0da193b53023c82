#include "starts.hpp"

#include "faces.hpp"
#include "sorted.hpp"

#include <algorithm>
#include <queue>
#include <utility>

namespace evenkeel::assigning {

namespace {

// The amounts before each place of an order.
struct Prefix {
  std::vector<std::int64_t> work, bytes;
};

Prefix prefix_of(const Problem& problem, const std::vector<int>& order) {
  Prefix prefix{{0}, {0}};
  prefix.work.reserve(order.size() + 1);
  prefix.bytes.reserve(order.size() + 1);
  for (const int i : order) {
    prefix.work.push_back(prefix.work.back() + at(problem.work, i));
    prefix.bytes.push_back(prefix.bytes.back() + at(problem.bytes, i));
  }
  return prefix;
}

// Fills one part after the other up to limits, from the left or from the right. Part p belongs to
// rank ranks[p].
class Filling {
 public:
  Filling(const Problem& problem, const Prefix& prefix, const std::vector<int>& ranks, bool caps)
      : problem_(problem), prefix_(prefix), ranks_(ranks), caps_(caps) {}

  // The greatest end of part p that begins at `begin`.
  std::int64_t end_of(int p, std::int64_t begin, std::int64_t limit) const {
    const auto [work, bytes, count] = limits(at(ranks_, p), limit);
    std::int64_t end = begin;
    while (end < problem_.blocks && end - begin < count &&
           at(prefix_.work, end + 1) - at(prefix_.work, begin) <= work &&
           at(prefix_.bytes, end + 1) - at(prefix_.bytes, begin) <= bytes)
      ++end;
    return end;
  }
  // The least begin of part p that ends at `end`.
  std::int64_t begin_of(int p, std::int64_t end, std::int64_t limit) const {
    const auto [work, bytes, count] = limits(at(ranks_, p), limit);
    std::int64_t begin = end;
    while (begin > 0 && end - begin < count &&
           at(prefix_.work, end) - at(prefix_.work, begin - 1) <= work &&
           at(prefix_.bytes, end) - at(prefix_.bytes, begin - 1) <= bytes)
      --begin;
    return begin;
  }
  bool fits(std::int64_t limit) const {
    std::int64_t end = 0;
    for (int p = 0; p < problem_.ranks && end < problem_.blocks; ++p) end = end_of(p, end, limit);
    return end == problem_.blocks;
  }

 private:
  struct Limits {
    std::int64_t work, bytes, count;
  };
  // `limit` is the work of a rank of average speed.
  Limits limits(int r, std::int64_t limit) const {
    std::int64_t work = limit;
    if (!problem_.same_speeds) {
      const double scaled =
          static_cast<double>(limit) * at(problem_.speeds, r) * (problem_.ranks / problem_.speed);
      work = scaled < 0x1p62 ? static_cast<std::int64_t>(scaled) : no_cap;
    }
    if (!caps_) return {work, no_cap, no_cap};
    return {std::min(work, problem_.capacity_of(r)), problem_.memory_of(r), problem_.most_blocks};
  }

  const Problem& problem_;
  const Prefix& prefix_;
  const std::vector<int>& ranks_;
  bool caps_;
};

std::int64_t least_limit(const Problem& problem, const Filling& filling) {
  std::int64_t low = problem.total / problem.ranks, high = problem.total;
  // Doubling keeps the number of probes small if the answer is near the average.
  for (std::int64_t step = low / 16 + 1; low + step < high; step *= 2) {
    if (filling.fits(low + step)) {
      high = low + step;
      break;
    }
    low += step;
  }
  while (high - low > (problem.total / problem.ranks >> 12)) {
    const std::int64_t middle = low + (high - low) / 2;
    (filling.fits(middle) ? high : low) = middle;
  }
  return high;
}

// Ranks in order of their load relative to their speed, the least first.
class Ranks {
 public:
  explicit Ranks(const Problem& problem)
      : problem_(problem),
        loads_(static_cast<std::size_t>(problem.ranks)),
        bytes_(loads_),
        work_(loads_),
        counts_(loads_) {}
  bool has_room(int r, int i) const {
    return at(counts_, r) < problem_.most_blocks &&
           at(bytes_, r) <= problem_.memory_of(r) - at(problem_.bytes, i) &&
           at(work_, r) <= problem_.capacity_of(r) - at(problem_.work, i);
  }
  // The sum over phases of the shares of block i.
  std::int64_t share_of(int i, int r) const {
    std::int64_t sum = 0;
    for (int p = 0; p < problem_.phases; ++p) sum += problem_.share(p, r, problem_.cost(p, i));
    return sum;
  }
  void give(int i, int r) {
    at(loads_, r) += share_of(i, r);
    at(bytes_, r) += at(problem_.bytes, i);
    at(work_, r) += at(problem_.work, i);
    ++at(counts_, r);
    if (!queue_.empty()) queue_.push({at(loads_, r), r});  // older entries of r are stale
  }
  // The rank with the least load after block i, or one of nearly the least load if there are many
  // ranks of different speeds.
  int least_after(int i) {
    int best = -1;
    if (!problem_.same_speeds && std::int64_t{problem_.ranks} * problem_.blocks <= (1 << 22)) {
      std::int64_t least = 0;
      for (int r = 0; r < problem_.ranks; ++r) {
        if (!has_room(r, i)) continue;
        const std::int64_t load = at(loads_, r) + problem_.share(0, r, at(problem_.work, i));
        if (best >= 0 && load >= least) continue;
        least = load;
        best = r;
      }
      return best >= 0 ? best : 0;
    }
    if (queue_.empty())
      for (int r = 0; r < problem_.ranks; ++r) queue_.push({at(loads_, r), r});
    std::vector<Entry> full;
    while (!queue_.empty() && best < 0) {
      const Entry entry = queue_.top();
      queue_.pop();
      if (entry.first != at(loads_, entry.second)) continue;
      if (has_room(entry.second, i))
        best = entry.second;
      else
        full.push_back(entry);
    }
    for (const Entry& entry : full) queue_.push(entry);
    return best >= 0 ? best : full.front().second;
  }
  std::int64_t load(int r) const { return at(loads_, r); }

 private:
  using Entry = std::pair<std::int64_t, int>;
  const Problem& problem_;
  std::vector<std::int64_t> loads_, bytes_, work_, counts_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

}  // namespace

std::vector<int> chain(const Problem& problem, const std::vector<int>& order) {
  const Prefix prefix = prefix_of(problem, order);
  std::vector<int> ranks = input_order(problem.ranks);
  if (!problem.node.empty())  // consecutive parts are neighbours, so they belong on one node
    std::stable_sort(ranks.begin(), ranks.end(),
                     [&](int a, int b) { return at(problem.node, a) < at(problem.node, b); });
  const bool caps = problem.caps && Filling(problem, prefix, ranks, true).fits(problem.total);
  const Filling filling(problem, prefix, ranks, caps);
  const std::int64_t limit = least_limit(problem, filling);
  // The least place of each cut; filling from the left finds the greatest. Between them, the place
  // nearest to the share of the ranks before it is taken.
  std::vector<std::int64_t> least(static_cast<std::size_t>(problem.ranks) + 1, problem.blocks);
  for (int p = problem.ranks - 1; p >= 0; --p)
    at(least, p) = filling.begin_of(p, at(least, p + 1), limit);
  std::vector<int> map(static_cast<std::size_t>(problem.blocks));
  double speed = 0;
  std::int64_t begin = 0;
  for (int p = 0; p < problem.ranks; ++p) {
    speed += at(problem.speeds, at(ranks, p));
    const auto share = static_cast<std::int64_t>(static_cast<double>(problem.total) *
                                                 std::min(1.0, speed / problem.speed));
    const auto after = std::lower_bound(prefix.work.begin(), prefix.work.end(), share);
    std::int64_t end = std::min<std::int64_t>(after - prefix.work.begin(), problem.blocks);
    if (end > 0 && share - at(prefix.work, end - 1) < at(prefix.work, end) - share) --end;
    if (p == problem.ranks - 1) end = problem.blocks;
    end = std::clamp(end, std::max(begin, at(least, p + 1)), filling.end_of(p, begin, limit));
    for (; begin < end; ++begin) at(map, at(order, begin)) = at(ranks, p);
  }
  return map;
}

std::vector<int> heaviest_first(const Problem& problem, bool by_bytes) {
  std::vector<std::uint64_t> keys;
  for (int i = 0; i < problem.blocks; ++i) {
    const std::int64_t size = by_bytes ? at(problem.bytes, i) : at(problem.work, i);
    keys.push_back((std::uint64_t{1} << 44) - static_cast<std::uint64_t>(size >> 18));
  }
  std::vector<int> map(static_cast<std::size_t>(problem.blocks), 0);
  Ranks ranks(problem);
  for (const int i : sorted_by(std::move(keys))) {
    at(map, i) = ranks.least_after(i);
    ranks.give(i, at(map, i));
  }
  return map;
}

std::vector<int> present_map(const Problem& problem, double lambda) {
  std::vector<int> map = problem.from;
  Ranks present(problem), ranks(problem);
  for (int i = 0; i < problem.blocks; ++i)
    if (at(map, i) >= 0) present.give(i, at(map, i));
  const auto most =
      static_cast<std::int64_t>(lambda * static_cast<double>(one_share)) * problem.phases;
  const bool stays =
      std::ranges::all_of(map, [&](int r) { return r >= 0 && present.load(r) <= 2 * most; });
  if (stays) return map;
  for (int i = 0; i < problem.blocks; ++i) {
    const int r = at(map, i);
    if (r < 0) continue;
    if (present.load(r) > 2 * most && ranks.load(r) + ranks.share_of(i, r) > most)
      at(map, i) = -1;
    else
      ranks.give(i, r);
  }
  for (int i = 0; i < problem.blocks; ++i) {
    if (at(map, i) >= 0) continue;
    int best = -1;
    problem.graph.neighbours(i, [&](int j, std::int64_t) {
      const int r = at(map, j);
      if (r >= 0 && ranks.has_room(r, i) && ranks.load(r) < one_share * problem.phases &&
          (best < 0 || ranks.load(r) < ranks.load(best)))
        best = r;
    });
    at(map, i) = best >= 0 ? best : ranks.least_after(i);
    ranks.give(i, at(map, i));
  }
  return map;
}

}  // namespace evenkeel::assigning
