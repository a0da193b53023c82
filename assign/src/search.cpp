#include "search.hpp"

#include "sorted.hpp"

#include <algorithm>
#include <array>
#include <queue>
#include <utility>

namespace evenkeel::assigning {

namespace {

constexpr int nothing = -1;

// -ln((k + 1/2) / 256) * 2^8, by repeated squaring in integers.
constexpr std::array<std::int64_t, 256> make_logarithms() {
  std::array<std::int64_t, 256> table{};
  for (std::uint64_t k = 0; k < 256; ++k) {
    std::uint64_t x = (2 * k + 1) << 22;  // (k + 1/2) / 256 in 2^-31
    std::int64_t log2 = 0;                // -log2 in 2^-16
    for (; x < (std::uint64_t{1} << 30); x <<= 1) log2 += 1 << 16;
    x <<= 1;  // in [1, 2) * 2^31
    log2 += 1 << 16;
    for (int bit = 15; bit >= 0; --bit) {
      x = (x * x) >> 31;
      if (x >= (std::uint64_t{1} << 32)) {
        x >>= 1;
        log2 -= std::int64_t{1} << bit;
      }
    }
    table[k] = log2 * 45426 >> 24;  // ln 2 = 45426 / 2^16
  }
  return table;
}
constexpr std::array<std::int64_t, 256> logarithms = make_logarithms();

constexpr std::int64_t broken_cap = std::int64_t{1} << 44;

// The price of a broken cap; `unit` is the size of an average block.
std::int64_t price_of_excess(std::int64_t used, std::int64_t cap, std::int64_t unit) {
  if (used <= cap) return 0;
  const std::int64_t sixteenths = (used - cap) / (unit / 16 + 1);
  return broken_cap + (std::min<std::int64_t>(sixteenths, 1 << 20) << 30);
}

}  // namespace

Search::Search(const Problem& problem, std::vector<std::int64_t> aims, std::vector<int> map)
    : problem_(problem), aims_(std::move(aims)), map_(std::move(map)) {
  slope_ = std::max<std::int64_t>(250, std::int64_t{16} * problem.blocks / problem.ranks);
  rebuild();
}

void Search::rebuild() {
  const auto ranks = static_cast<std::size_t>(problem_.ranks);
  std::vector<std::size_t> counts(ranks, 0);
  for (const int r : map_) ++at(counts, r);
  blocks_.assign(ranks, {});
  for (std::size_t r = 0; r < ranks; ++r) blocks_[r].reserve(counts[r] + 1);
  slot_.assign(map_.size(), 0);
  loads_.assign(ranks * static_cast<std::size_t>(problem_.phases), 0);
  near_.assign(ranks, nothing);
  bytes_.assign(ranks, 0);
  work_.assign(ranks, 0);
  for (int i = 0; i < problem_.blocks; ++i) {
    const int r = at(map_, i);
    at(slot_, i) = static_cast<int>(at(blocks_, r).size());
    at(blocks_, r).push_back(i);
    at(bytes_, r) += at(problem_.bytes, i);
    at(work_, r) += at(problem_.work, i);
    for (int p = 0; p < problem_.phases; ++p)
      at(loads_, std::int64_t{r} * problem_.phases + p) += problem_.cost(p, i);
  }
  energy_.resize(ranks);
  for (int r = 0; r < problem_.ranks; ++r) at(energy_, r) = rank_energy(r, nothing, nothing);
}

void Search::set_aims(std::vector<std::int64_t> aims) {
  aims_ = std::move(aims);
  for (int r = 0; r < problem_.ranks; ++r) at(energy_, r) = rank_energy(r, nothing, nothing);
}

// The energy of rank r from its load and caps, if block `out` left it and block `in` came.
std::int64_t Search::rank_energy(int r, int out, int in) const {
  std::int64_t energy = 0;
  for (int p = 0; p < problem_.phases; ++p) {
    std::int64_t load = at(loads_, std::int64_t{r} * problem_.phases + p);
    if (out != nothing) load -= problem_.cost(p, out);
    if (in != nothing) load += problem_.cost(p, in);
    const std::int64_t above = problem_.share(p, r, load) - at(aims_, p);
    if (above <= 0) continue;
    constexpr int units = share_bits - face_bits;  // 2^-12 shares
    const std::int64_t o = std::min(above, one_share << 14) >> units;
    const std::int64_t least = std::min(o, one_face << 4);  // its square has room
    energy += jump_ + slope_ * (o + (least * least >> face_bits) * 8 / 5);
  }
  if (!problem_.caps) return energy;
  const std::int64_t change = (in != nothing ? 1 : 0) - (out != nothing ? 1 : 0);
  const auto changed = [&](std::int64_t used, const std::vector<std::int64_t>& amounts) {
    if (out != nothing) used -= at(amounts, out);
    if (in != nothing) used += at(amounts, in);
    return used;
  };
  energy += price_of_excess(std::ssize(at(blocks_, r)) + change, problem_.most_blocks, 1);
  energy += price_of_excess(changed(at(bytes_, r), problem_.bytes), problem_.memory_of(r),
                            problem_.average_bytes);
  energy += price_of_excess(changed(at(work_, r), problem_.work), problem_.capacity_of(r),
                            problem_.total / std::max(1, problem_.blocks));
  return energy;
}

// The change of faces and moves if block i moves.
Search::Change Search::place_change(int i, int to) const {
  const int here = at(map_, i);
  Change change = problem_.price_of_move(i, to) - problem_.price_of_move(i, here);
  problem_.graph.neighbours(i, [&](int j, std::int64_t weight) {
    const int there = at(map_, j);
    change += weight * (problem_.distance(to, there) - problem_.distance(here, there));
  });
  return change;
}

// The least that place_change can be.
Search::Change Search::least_place_change(int i) const {
  return -problem_.graph.strength(i) * (problem_.node.empty() ? 1 : other_node) -
         problem_.price_of_move(i, at(map_, i));
}

// Marks the ranks of the neighbours of block i in near_. Returns the least that place_change can be
// for any other rank.
Search::Change Search::mark_near(int i) {
  const int here = at(map_, i);
  Change least = -problem_.price_of_move(i, here);
  problem_.graph.neighbours(i, [&](int j, std::int64_t weight) {
    at(near_, at(map_, j)) = i;
    least += weight * (1 - problem_.distance(here, at(map_, j)));
  });
  return least;
}

// Both return the change of energy, or any number above `allowed` if the change is above it.
Search::Change Search::move_change(int i, int to, Change allowed) const {
  const int here = at(map_, i);
  const Change change = rank_energy(here, i, nothing) + rank_energy(to, nothing, i) -
                        at(energy_, here) - at(energy_, to);
  if (change + least_place_change(i) > allowed) return allowed + 1;
  return change + place_change(i, to);
}

Search::Change Search::swap_change(int i, int k, Change allowed) const {
  const int a = at(map_, i), b = at(map_, k);
  Change change = rank_energy(a, i, k) + rank_energy(b, k, i) - at(energy_, a) - at(energy_, b);
  if (change + least_place_change(i) + least_place_change(k) > allowed) return allowed + 1;
  change += place_change(i, b) + place_change(k, a);
  problem_.graph.neighbours(i, [&](int j, std::int64_t weight) {
    if (j == k) change += 2 * weight * problem_.distance(a, b);  // this face stays cut
  });
  return change;
}

void Search::move(int i, int to) {
  const int here = at(map_, i);
  std::vector<int>& list = at(blocks_, here);
  at(slot_, list.back()) = at(slot_, i);
  at(list, at(slot_, i)) = list.back();
  list.pop_back();
  at(slot_, i) = static_cast<int>(at(blocks_, to).size());
  at(blocks_, to).push_back(i);
  at(map_, i) = to;
  for (int p = 0; p < problem_.phases; ++p) {
    at(loads_, std::int64_t{here} * problem_.phases + p) -= problem_.cost(p, i);
    at(loads_, std::int64_t{to} * problem_.phases + p) += problem_.cost(p, i);
  }
  at(bytes_, here) -= at(problem_.bytes, i);
  at(bytes_, to) += at(problem_.bytes, i);
  at(work_, here) -= at(problem_.work, i);
  at(work_, to) += at(problem_.work, i);
  at(energy_, here) = rank_energy(here, nothing, nothing);
  at(energy_, to) = rank_energy(to, nothing, nothing);
}

void Search::swap(int i, int k) {
  const int a = at(map_, i), b = at(map_, k);
  move(i, b);
  move(k, a);
}

bool Search::try_one(int i, std::int64_t allowed) {
  const int here = at(map_, i);
  const int begin = at(problem_.graph.offsets, i);
  const int degree = at(problem_.graph.offsets, i + 1) - begin;
  const auto one_of = [&](int count) {
    return static_cast<int>(random_.below(static_cast<std::uint32_t>(count)));
  };
  const bool is_near = degree > 0 && random_.below(problem_.blocks > 20'000 ? 16 : 4) != 0;
  const int to =
      is_near ? at(map_, at(problem_.graph.to, begin + one_of(degree))) : one_of(problem_.ranks);
  if (to == here) return false;
  const std::vector<int>& there = at(blocks_, to);
  if (!there.empty() && random_.below(2) == 0) {
    const int k = at(there, random_.below(static_cast<std::uint32_t>(there.size())));
    if (swap_change(i, k, allowed) > allowed) return false;
    swap(i, k);
  } else {
    if (move_change(i, to, allowed) > allowed) return false;
    move(i, to);
  }
  return true;
}

void Search::anneal(int sweeps, std::int64_t hot, bool soft) {
  if (problem_.ranks == 1) return;
  constexpr std::int64_t cold = one_face / 50;
  const std::int64_t slope = slope_;
  std::vector<int> best;
  std::int64_t best_energy = 0;
  for (int s = 0; s < sweeps; ++s) {
    const std::int64_t rest = sweeps - 1 - s, steps = std::max(1, sweeps - 1);
    const std::int64_t heat = cold + (hot - cold) * rest / steps * rest / steps;
    if (soft && sweeps >= 16) {  // heavy blocks can pass at first
      const int growth = 9 * s / sweeps;
      set_slope(growth < 4 ? slope >> (4 - growth) : slope << (growth - 4), 0);
    }
    for (int n = 0; n < problem_.blocks; ++n) {
      const std::int64_t luck = at(logarithms, random_.below(256));
      try_one(n, (heat * luck) >> 8);
    }
    if (4 * s < 3 * sweeps || !is_even()) continue;
    const std::int64_t energy = energy_of_place();
    if (!best.empty() && energy >= best_energy) continue;
    best_energy = energy;
    best = map_;
  }
  if (best.empty() || best == map_) return;
  map_ = std::move(best);
  rebuild();
}

void Search::set_slope(std::int64_t slope, std::int64_t jump) {
  slope_ = std::min(slope, std::int64_t{1} << 28);  // no energy overflows
  jump_ = jump;
  for (int r = 0; r < problem_.ranks; ++r) at(energy_, r) = rank_energy(r, nothing, nothing);
}

// Makes the best moves of blocks of rank r to one of the targets, or the best swap if no move
// lowers the energy. Appends targets that become overloaded to `waiting`. Returns false if nothing
// helps.
bool Search::relieve(int r, const std::vector<int>& targets, std::vector<int>& waiting) {
  struct Offer {
    Change change;
    int block, to;
  };
  const std::ptrdiff_t most = 1 + std::ssize(at(blocks_, r)) / 16;  // moves per look at all blocks
  std::vector<Offer> offers;  // the best move of each block, or better and better ones if most is 1
  Change bar = 0;
  for (const int i : at(blocks_, r)) {
    const Change here = rank_energy(r, i, nothing) - at(energy_, r);
    const Change near = least_place_change(i), far = mark_near(i);
    Offer best{most == 1 ? bar : 0, i, nothing};
    for (const int to : targets) {  // no rank has less energy with one block more
      const Change place = at(near_, to) == i ? near : far;
      if (here + place >= best.change) continue;
      Change change = here + rank_energy(to, nothing, i) - at(energy_, to);
      if (change + place >= best.change || (change += place_change(i, to)) >= best.change) continue;
      best.change = change;
      best.to = to;
    }
    if (best.to == nothing) continue;
    offers.push_back(best);
    bar = std::min(bar, best.change);
  }
  const auto middle = offers.begin() + std::min(most, std::ssize(offers));
  std::partial_sort(offers.begin(), middle, offers.end(), [](const Offer& x, const Offer& y) {
    return std::pair(x.change, x.block) < std::pair(y.change, y.block);
  });
  for (auto offer = offers.begin(); offer != middle; ++offer) {
    if (at(energy_, r) == 0 || move_change(offer->block, offer->to, -1) >= 0) continue;
    move(offer->block, offer->to);
    if (at(energy_, offer->to) > 0) waiting.push_back(offer->to);
  }
  if (!offers.empty()) return true;

  Change best = 0;
  int block = nothing, partner = nothing;
  const auto try_swap = [&](int i, int k) {
    const Change change = swap_change(i, k, best - 1);
    if (change < best) best = change, block = i, partner = k;
  };
  std::int64_t swaps = std::min<std::int64_t>(100'000, swaps_left_);
  for (const int to : targets)
    for (const int i : at(blocks_, r)) {
      const std::vector<int>& there = at(blocks_, to);
      if ((swaps -= std::ssize(there)) < 0) break;
      swaps_left_ -= std::ssize(there);
      for (const int k : there) try_swap(i, k);
    }
  if (block == nothing) return false;
  const int target = at(map_, partner);
  swap(block, partner);
  if (at(energy_, target) > 0) waiting.push_back(target);
  return true;
}

void Search::repair() {
  set_slope(64 * slope_, 256 * one_face);
  swaps_left_ = 2'000'000;  // some 50 ms
  for (int others = 8; others <= 512; others *= 8) {
    const auto overloaded = problem_.ranks - std::count(energy_.begin(), energy_.end(), 0);
    if (overloaded == 0 || (others > 8 && overloaded * others > 20'000)) return;
    repair_with(others);
  }
}

// Relieves all overloaded ranks, the most overloaded first. Blocks go to ranks of their neighbours,
// to where they came from, or to one of `others` other ranks: those that had the least load at the
// start as long as they are below their share, and then random ones.
void Search::repair_with(int others) {
  std::vector<std::uint64_t> shares, energies;
  for (int r = 0; r < problem_.ranks; ++r) {
    shares.push_back(static_cast<std::uint64_t>(share_of(r)));
    energies.push_back(static_cast<std::uint64_t>(no_cap - at(energy_, r)));
  }
  const std::vector<int> lightest = sorted_by(std::move(shares));
  std::vector<int> waiting = sorted_by(std::move(energies)), targets;
  std::vector<std::int64_t> added(static_cast<std::size_t>(problem_.ranks), 0);  // at which step
  std::int64_t light = 0, steps = 4 * std::int64_t{problem_.blocks} + 64;
  for (std::size_t next = 0; next < waiting.size() && steps > 0; ++next)
    for (const int r = waiting[next]; at(energy_, r) > 0 && --steps > 0;) {
      targets.clear();
      const auto add = [&](int to) {
        if (to != r && std::exchange(at(added, to), steps) != steps) targets.push_back(to);
      };
      for (const int i : at(blocks_, r)) {
        problem_.graph.neighbours(i, [&](int j, std::int64_t) { add(at(map_, j)); });
        if (!problem_.from.empty() && at(problem_.from, i) >= 0) add(at(problem_.from, i));
      }
      while (light < problem_.ranks && share_of(at(lightest, light)) >= one_share) ++light;
      for (std::int64_t k = light; k < light + others; ++k)
        add(k < problem_.ranks
                ? at(lightest, k)
                : static_cast<int>(random_.below(static_cast<std::uint32_t>(problem_.ranks))));
      if (!relieve(r, targets, waiting)) break;
    }
}

// The greatest share of rank r in a phase.
std::int64_t Search::share_of(int r) const {
  std::int64_t most = 0;
  for (int p = 0; p < problem_.phases; ++p)
    most = std::max(most, problem_.share(p, r, at(loads_, std::int64_t{r} * problem_.phases + p)));
  return most;
}

bool Search::keeps_caps() const {
  for (int r = 0; r < problem_.ranks; ++r)
    if (std::ssize(at(blocks_, r)) > problem_.most_blocks ||
        at(bytes_, r) > problem_.memory_of(r) || at(work_, r) > problem_.capacity_of(r))
      return false;
  return true;
}

bool Search::is_even() const {
  for (const std::int64_t energy : energy_)
    if (energy > 0) return false;
  return true;
}

std::int64_t Search::energy_of_place() const {
  std::int64_t energy = 0;
  for (int i = 0; i < problem_.blocks; ++i) {
    energy += 2 * problem_.price_of_move(i, at(map_, i));
    problem_.graph.neighbours(i, [&](int j, std::int64_t weight) {
      energy += weight * problem_.distance(at(map_, i), at(map_, j));
    });
  }
  return energy / 2;
}

}  // namespace evenkeel::assigning
