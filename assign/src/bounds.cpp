#include "bounds.hpp"

#include "sorted.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

namespace evenkeel::assigning {

namespace {

std::vector<std::int64_t> sorted_down(const std::int64_t* begin, std::int64_t count) {
  if (count == 0) return {};
  const std::int64_t most = *std::max_element(begin, begin + count);
  std::vector<std::uint64_t> keys;
  keys.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
    keys.push_back(static_cast<std::uint64_t>(most - begin[i]));
  std::vector<std::int64_t> sorted;
  sorted.reserve(keys.size());
  for (const int i : sorted_by(std::move(keys))) sorted.push_back(begin[i]);
  return sorted;
}

// The k + 1 greatest amounts are all at least as great as the last of them, so a rank holds at most
// cap / this amount of them. Returns a k for which the ranks do not hold k + 1 of them, or -1.
std::int64_t too_many(const std::vector<std::int64_t>& amounts,
                      const std::vector<std::int64_t>& caps) {
  const auto sorted = sorted_down(amounts.data(), std::ssize(amounts));
  const bool same = std::equal(caps.begin() + 1, caps.end(), caps.begin());
  const std::int64_t ranks = std::ssize(caps), blocks = std::ssize(sorted);
  const std::int64_t step = same ? 1 : 1 + blocks * ranks / 4'000'000;
  for (std::int64_t k = 0; k < blocks && at(sorted, k) > 0; k += step) {
    std::int64_t room = same ? caps[0] / at(sorted, k) * ranks : 0;
    if (!same)
      for (const std::int64_t cap : caps) room += std::min(cap / at(sorted, k), blocks);
    if (room < k + 1) return k;
  }
  return -1;
}

// The greatest number of blocks that every rank has to take if the others are full.
std::int64_t fewest_blocks(const Problem& problem) {
  if (problem.most_blocks == no_cap) return 0;
  if (problem.most_blocks >= problem.blocks) return problem.ranks == 1 ? problem.blocks : 0;
  return std::max<std::int64_t>(0, problem.blocks - problem.most_blocks * (problem.ranks - 1));
}

struct Argument {
  double time = 0;  // of one phase, or of the sum
  const char* reason = "";
};

void raise(Argument& argument, double time, const char* reason) {
  if (time > argument.time) argument = {time, reason};
}

// In a time t a rank completes at most t * speed / c blocks of at least the cost c. So t must be
// long enough for all ranks to complete the k + 1 blocks that are at least as heavy as the last of
// them.
void raise_by_counts(const Problem& problem, const std::vector<std::int64_t>& sorted,
                     Argument& best) {
  constexpr std::int64_t steps = 40;
  std::int64_t tries = 2'000'000 / (steps * problem.ranks);
  for (std::int64_t k = problem.blocks - 1; k >= 0 && tries > 0; --k) {
    const auto cost = static_cast<double>(at(sorted, k));
    if (cost == 0 || (k + 1 < problem.blocks && at(sorted, k + 1) == at(sorted, k))) continue;
    --tries;
    const auto are_enough = [&](double time) {
      double count = 0;
      for (const double speed : problem.speeds)
        count += std::floor(time * speed / cost * (1 + 1e-12));
      return count >= static_cast<double>(k + 1);
    };
    if (are_enough(best.time)) continue;
    double low = best.time, high = 2 * low;
    while (!are_enough(high)) low = high, high *= 2;
    for (int step = 0; step < steps; ++step) {
      const double middle = low + (high - low) / 2;
      (are_enough(middle) ? high : low) = middle;
    }
    raise(best, low, "ranks of these speeds need this long for the heaviest blocks");
  }
}

// The bounds from costs of one phase, or from sums over phases.
Argument time_of(const Problem& problem, const std::int64_t* costs, std::int64_t total) {
  Argument best{static_cast<double>(total) / problem.speed,
                "the loads of all ranks together have this average"};
  if (problem.blocks == 0) return best;
  const auto sorted = sorted_down(costs, problem.blocks);
  const std::int64_t ranks = problem.ranks;
  // The m heaviest blocks are on at most m ranks, which are at best the fastest.
  std::vector<double> speeds = problem.speeds;
  std::sort(speeds.begin(), speeds.end(), std::greater<>());
  double cost = 0, speed = 0;
  for (std::int64_t m = 0; m < std::min<std::int64_t>(ranks, problem.blocks); ++m) {
    cost += static_cast<double>(at(sorted, m));
    speed += at(speeds, m);
    raise(best, cost / speed,
          m == 0 ? "the heaviest block alone takes this long on the fastest rank"
                 : "the heaviest blocks alone take this long on the fastest ranks");
  }
  // One rank has q + 1 of the q * ranks + 1 heaviest blocks: at least the lightest of them.
  std::vector<std::int64_t> before(1, 0);
  for (const std::int64_t c : sorted) before.push_back(before.back() + c);
  for (std::int64_t q = 1; q * ranks < problem.blocks; ++q) {
    const std::int64_t last = q * ranks + 1;
    raise(best, static_cast<double>(at(before, last) - at(before, last - q - 1)) / speeds[0],
          "there are more heavy blocks than ranks, so a rank has several of them");
  }
  if (!problem.same_speeds) raise_by_counts(problem, sorted, best);
  // The rank of the heaviest block has at least `fewest` blocks.
  if (const std::int64_t fewest = fewest_blocks(problem); fewest > 1) {
    const std::int64_t lightest =
        at(before, problem.blocks) - at(before, problem.blocks - fewest + 1);
    raise(best, static_cast<double>(sorted[0] + lightest) / speeds[0],
          "the cap on blocks gives several others to the rank of the heaviest block");
  }
  return best;
}

// The heaviest block for each size of room: a block runs at best on the fastest rank that has room.
void raise_by_room(const Problem& problem, const std::vector<std::int64_t>& caps,
                   const std::vector<std::int64_t>& amounts, const std::int64_t* costs,
                   Argument& best) {
  if (caps.empty()) return;
  std::vector<std::uint64_t> keys;
  keys.reserve(caps.size());
  for (const std::int64_t cap : caps) keys.push_back(static_cast<std::uint64_t>(no_cap - cap));
  const std::vector<int> order = sorted_by(std::move(keys));  // the most room first
  std::vector<std::uint64_t> sizes;
  sizes.reserve(amounts.size());
  for (const std::int64_t a : amounts) sizes.push_back(static_cast<std::uint64_t>(no_cap - a));
  double speed = 0;
  std::size_t r = 0;
  for (const int i : sorted_by(std::move(sizes))) {
    for (; r < order.size() && at(caps, order[r]) >= at(amounts, i); ++r)
      speed = std::max(speed, at(problem.speeds, order[r]));
    if (speed > 0)
      raise(best, static_cast<double>(costs[i]) / speed, "a heavy block fits only slow ranks");
  }
}

// The greatest work that each rank can hold under its caps, if it could choose from all blocks and
// divide one of them.
std::vector<double> most_work(const Problem& problem) {
  std::vector<int> order(static_cast<std::size_t>(problem.blocks));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const auto product = [&](int x, int y) {
      return Wide(static_cast<std::uint64_t>(at(problem.work, x))) *
             static_cast<std::uint64_t>(at(problem.bytes, y));
    };
    const Wide left = product(a, b), right = product(b, a);
    return left != right ? left > right : a < b;
  });
  // A block without bytes and work would make this order inconsistent; it changes no sum.
  std::vector<std::int64_t> bytes(1, 0), work(1, 0);
  for (const int i : order) {
    bytes.push_back(bytes.back() + at(problem.bytes, i));
    work.push_back(work.back() + at(problem.work, i));
  }
  const auto sorted = sorted_down(problem.work.data(), problem.blocks);
  const std::int64_t count = std::min<std::int64_t>(problem.most_blocks, problem.blocks);
  const auto by_count =
      static_cast<double>(std::accumulate(sorted.begin(), sorted.begin() + count, std::int64_t{0}));
  std::vector<double> most(static_cast<std::size_t>(problem.ranks), by_count);
  for (int r = 0; r < problem.ranks; ++r) {
    if (!problem.capacity.empty())
      at(most, r) = std::min(at(most, r), static_cast<double>(at(problem.capacity, r)));
    const auto full = std::upper_bound(bytes.begin(), bytes.end(), problem.memory_of(r));
    const auto k = full - bytes.begin();  // blocks 0 .. k - 2 fit, block k - 1 only in part
    if (k > problem.blocks) continue;
    const auto part = static_cast<double>(problem.memory_of(r) - at(bytes, k - 1)) /
                      static_cast<double>(at(bytes, k) - at(bytes, k - 1));
    const auto last = static_cast<double>(at(work, k) - at(work, k - 1));
    at(most, r) = std::min(at(most, r), static_cast<double>(at(work, k - 1)) + part * last);
  }
  return most;
}

// The least time in which the ranks can do all work, if each holds at most `most`. Returns infinity
// if they cannot hold it.
double time_under(const Problem& problem, const std::vector<double>& most) {
  std::vector<int> order(most.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const double left = at(most, a) / at(problem.speeds, a);
    const double right = at(most, b) / at(problem.speeds, b);
    return left != right ? left < right : a < b;
  });
  double work = static_cast<double>(problem.total) * (1 - 0x1p-40), speed = problem.speed;
  for (const int r : order) {  // full ranks, one after the other
    if (work <= at(most, r) / at(problem.speeds, r) * speed) return work / speed;
    work -= at(most, r);
    speed -= at(problem.speeds, r);
  }
  return work > 0 ? std::numeric_limits<double>::infinity() : 0;
}

// Work per byte. Blocks without bytes come first: they move for nothing.
double density(const Problem& problem, int i) {
  return static_cast<double>(at(problem.work, i)) / static_cast<double>(at(problem.bytes, i) + 1);
}

// The bytes of blocks with more than `excess` work, if the last block could be divided: those with
// the most work per byte.
std::int64_t divided(const Problem& problem, std::vector<int>& here, double excess) {
  std::sort(here.begin(), here.end(), [&](int a, int b) {
    const double left = density(problem, a);
    const double right = density(problem, b);
    return left != right ? left > right : a < b;
  });
  double moved = 0;
  for (const int i : here) {
    const auto work = static_cast<double>(at(problem.work, i));
    if (excess <= 0) break;
    moved += static_cast<double>(at(problem.bytes, i)) * (work > excess ? excess / work : 1.0);
    excess -= work;
  }
  return static_cast<std::int64_t>(moved * (1 - 1e-9));
}

// The number of the heaviest blocks with more than `excess` work, if each has as few bytes as any.
std::int64_t undivided(const Problem& problem, std::vector<int>& here, double excess) {
  std::sort(here.begin(), here.end(), [&](int a, int b) {
    return std::pair(at(problem.work, b), a) < std::pair(at(problem.work, a), b);
  });
  std::int64_t least = no_cap, count = 0;
  for (const int i : here) least = std::min(least, at(problem.bytes, i));
  for (const int i : here) {
    if (excess <= 0) break;
    excess -= static_cast<double>(at(problem.work, i));
    ++count;
  }
  return count * least;
}

}  // namespace

void check_caps(const Problem& problem) {
  if (!problem.caps) return;
  const std::string proven = "No map can keep the caps: ";
  const std::int64_t ranks = problem.ranks;
  if (problem.most_blocks < (problem.blocks + ranks - 1) / ranks)
    refuse(proven + text(ranks) + " ranks with at most " + text(problem.most_blocks) +
               " blocks hold fewer than " + text(problem.blocks) + " blocks.",
           "Raise most_blocks, or use more ranks.");
  const auto check = [&](const std::vector<std::int64_t>& caps,
                         const std::vector<std::int64_t>& amounts, const char* what) {
    if (caps.empty() || amounts.empty()) return;
    const std::string remedy = std::string("Raise ") + what + ", use more ranks or smaller blocks.";
    std::int64_t room = 0, need = 0;
    for (const std::int64_t cap : caps) room += std::min(cap, no_cap / 2 / ranks);
    for (const std::int64_t amount : amounts) need += amount;
    const auto largest = std::max_element(amounts.begin(), amounts.end());
    if (*largest > *std::max_element(caps.begin(), caps.end()))
      refuse(proven + "block " + text(largest - amounts.begin()) + " is above the " + what +
                 " of every rank.",
             remedy);
    if (need > room && std::all_of(caps.begin(), caps.end(),
                                   [&](std::int64_t cap) { return cap <= no_cap / 2 / ranks; }))
      refuse(proven + "all blocks together are above the " + what + " of all ranks.", remedy);
    if (const std::int64_t k = too_many(amounts, caps); k >= 0)
      refuse(proven + "the " + text(k + 1) + " largest blocks do not fit the " + what +
                 " of the ranks, however they are placed.",
             remedy);
  };
  check(problem.memory, problem.bytes, "memory");
  check(problem.capacity, problem.work, "capacity");
  if (time_under(problem, most_work(problem)) == std::numeric_limits<double>::infinity())
    refuse(proven + "under all caps together, the ranks cannot hold all work.",
           "Raise the caps, or use more ranks.");
}

Bound bound_of(const Problem& problem) {
  Bound bound;
  bound.phases.assign(static_cast<std::size_t>(problem.phases), 1);
  bound.reason = "the loads of all ranks together have this average";
  if (problem.total == 0) return bound;
  const double average = static_cast<double>(problem.total) / problem.speed;
  const auto argue = [&](const std::int64_t* costs, std::int64_t total) {
    Argument argument = time_of(problem, costs, total);
    raise_by_room(problem, problem.memory, problem.bytes, costs, argument);
    raise_by_room(problem, problem.capacity, problem.work, costs, argument);
    return argument;
  };
  Argument all{0, "each phase takes at least this long"};
  double sum = 0;
  for (int p = 0; p < problem.phases; ++p) {
    const std::int64_t* costs = problem.costs.data() + std::int64_t{p} * problem.blocks;
    const Argument argument = argue(costs, at(problem.totals, p));
    const double even = static_cast<double>(at(problem.totals, p)) / problem.speed;
    if (even > 0) at(bound.phases, p) = std::max(1.0, argument.time / even);
    sum += argument.time;
    if (problem.phases == 1) all.reason = argument.reason;
  }
  all.time = sum;
  if (problem.phases > 1) {
    const Argument whole = argue(problem.work.data(), problem.total);
    raise(all, whole.time, whole.reason);
  }
  if (problem.caps)
    raise(all, time_under(problem, most_work(problem)),
          "the caps keep some ranks below their share");
  bound.lambda = std::max(1.0, all.time / average);
  bound.reason = all.reason;
  return bound;
}

std::int64_t least_moved_bytes(const Problem& problem, double lambda) {
  if (problem.from.empty() || problem.total == 0 || problem.phases > 1) return 0;
  const auto rank_of = [&](int i) { return at(problem.from, i); };
  std::vector<std::int64_t> loads(static_cast<std::size_t>(problem.ranks), 0);
  for (int i = 0; i < problem.blocks; ++i)
    if (rank_of(i) >= 0) at(loads, rank_of(i)) += at(problem.work, i);
  const double even = static_cast<double>(problem.total) / problem.speed * lambda * (1 + 1e-9);
  const auto excess = [&](int r) {
    return static_cast<double>(at(loads, r)) - even * at(problem.speeds, r);
  };
  std::vector<int> blocks, here;  // of all ranks with an excess, and of one of them
  std::vector<std::uint64_t> ranks;
  for (int i = 0; i < problem.blocks; ++i) {
    if (rank_of(i) < 0 || excess(rank_of(i)) <= 0) continue;
    blocks.push_back(i);
    ranks.push_back(static_cast<std::uint64_t>(rank_of(i)));
  }
  std::int64_t bytes = 0;
  const std::vector<int> order = sorted_by(std::move(ranks));
  for (std::size_t k = 0; k < order.size(); ++k) {
    const int i = at(blocks, order[k]), r = rank_of(i);
    here.push_back(i);
    if (k + 1 < order.size() && rank_of(at(blocks, order[k + 1])) == r) continue;
    bytes += std::max(divided(problem, here, excess(r)), undivided(problem, here, excess(r)));
    here.clear();
  }
  return bytes;
}

}  // namespace evenkeel::assigning
