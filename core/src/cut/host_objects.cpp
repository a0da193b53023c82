#include "cut/host_objects.hpp"

#include <evenkeel/backends/exec/launch.hpp>

#include <algorithm>

namespace evenkeel {

namespace {

// Objects are first kept, then counted. Both steps handle this many objects at a time, so that
// objects are still in the cache when they are counted.
constexpr int turn = 1024;

// Adds weights to bins. Neighbours in memory are often in the same bin, so the sum of such a run is
// kept in a register. If it were in memory, each addition would wait for the previous store.
class InRuns {
 public:
  explicit InRuns(std::int64_t* bins) noexcept : bins_(bins) {}
  InRuns(const InRuns&) = delete;
  InRuns& operator=(const InRuns&) = delete;
  ~InRuns() { bins_[bin_] += sum_; }
  void add(std::size_t bin, std::int64_t weight) noexcept {
    if (bin != bin_) {
      bins_[bin_] += sum_;
      bin_ = bin;
      sum_ = 0;
    }
    sum_ += weight;
  }

 private:
  std::int64_t* bins_;
  std::size_t bin_ = 0;
  std::int64_t sum_ = 0;
};

// Finds the interval of a key between ascending boundaries: interval i ends before boundaries[i].
// It tries the interval of the previous key and the next one first, because neighbours in memory
// are often there.
class IntervalOf {
 public:
  explicit IntervalOf(std::span<const CurveKey> boundaries) noexcept : boundaries_(boundaries) {
    enter(0);
  }

  std::size_t operator()(std::uint64_t key) noexcept {
    if (key - first_ < length_) return interval_;
    if (interval_ < boundaries_.size() && key >= boundaries_[interval_].value) enter(interval_ + 1);
    if (key - first_ < length_) return interval_;
    enter(static_cast<std::size_t>(
        std::upper_bound(boundaries_.begin(), boundaries_.end(), CurveKey{key}) -
        boundaries_.begin()));
    return interval_;
  }

 private:
  void enter(std::size_t interval) noexcept {
    constexpr auto end = std::numeric_limits<std::uint64_t>::max();
    interval_ = interval;
    first_ = interval == 0 ? 0 : boundaries_[interval - 1].value;
    length_ = (interval < boundaries_.size() ? boundaries_[interval].value : end) - first_;
  }

  std::span<const CurveKey> boundaries_;
  std::size_t interval_ = 0;
  std::uint64_t first_ = 0, length_ = 0;
};

}  // namespace

HostObjects::HostObjects(std::span<const WeightedKeys> sets, std::int64_t most_bins)
    : sets_(sets), threads_(exec::host_threads()) {
  blocks_.resize(static_cast<std::size_t>(threads_));
  std::int64_t offset = 0;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const std::int64_t count = std::ssize(sets[s].keys);
    for (int t = 0; t < threads_; ++t) {
      const auto [begin, end] = exec::share_of(count, threads_, t);
      for (std::int64_t from = begin; from < end; from += most_objects_of_a_block)
        blocks_[static_cast<std::size_t>(t)].push_back(
            {s, from, std::min(end, from + most_objects_of_a_block), offset + from});
    }
    offset += count;
  }
  kept_ = exec::Array<Kept>(Space::where(MemoryKind::host), "evenkeel::cut::kept", offset);
  bins_.resize(static_cast<std::size_t>(threads_));
  for (auto& bins : bins_) bins.resize(static_cast<std::size_t>(most_bins));
}

template <class Body>
void HostObjects::for_each_thread(const Body& body) const noexcept {
  exec::for_each_on_host("evenkeel::cut::histogram", threads_,
                         [&](std::int64_t thread) { body(static_cast<std::size_t>(thread)); });
}

// Returns null if all objects weigh the same.
const double* HostObjects::weights_of(const WeightedKeys& set) const noexcept {
  return units_.weightless() || set.weights.empty() ? nullptr : set.weights.data();
}

// Calls visit(object, key, weight) for objects `begin` to `end` of a block; both count from the
// first object of the block.
template <class Visit>
void HostObjects::visit(const Block& block, std::int64_t begin, std::int64_t end,
                        const Visit& visit) const noexcept {
  const WeightedKeys& set = sets_[block.set];
  const Units units = units_;
  const CurveKey* keys = set.keys.data() + block.begin;
  const double* weights = weights_of(set);
  if (weights == nullptr) {
    const std::int64_t one = units.one();
    for (std::int64_t i = begin; i < end; ++i) visit(i, keys[i].value, one);
  } else {
    weights += block.begin;
    for (std::int64_t i = begin; i < end; ++i) visit(i, keys[i].value, units.of(weights[i]));
  }
}

// Calls visit(kept, key, weight) for kept objects `begin` to `end` of a block; both count the kept
// objects of the block.
template <class Visit>
void HostObjects::visit_kept(const Block& block, std::int64_t begin, std::int64_t end,
                             const Visit& visit) const noexcept {
  const WeightedKeys& set = sets_[block.set];
  const Units units = units_;
  const CurveKey* keys = set.keys.data() + block.begin;
  const Kept* kept = kept_.data() + block.offset;
  const double* weights = weights_of(set);
  if (weights == nullptr) {
    const std::int64_t one = units.one();
    for (std::int64_t i = begin; i < end; ++i) visit(kept[i], keys[kept[i].object].value, one);
  } else {
    weights += block.begin;
    for (std::int64_t i = begin; i < end; ++i)
      visit(kept[i], keys[kept[i].object].value, units.of(weights[kept[i].object]));
  }
}

// add(block, bins) must add the objects of a block to the bins of the thread that has the block.
template <class Add>
std::span<std::int64_t> HostObjects::histogram(std::int64_t count, const Add& add) noexcept {
  for_each_thread([&](std::size_t thread) {
    std::int64_t* bins = bins_[thread].data();
    std::fill_n(bins, count, 0);
    for (Block& block : blocks_[thread]) add(block, bins);
  });
  std::vector<std::int64_t>& sum = bins_.front();
  for (std::size_t t = 1; t < bins_.size(); ++t)
    for (std::size_t b = 0; b < static_cast<std::size_t>(count); ++b) sum[b] += bins_[t][b];
  return std::span(sum).first(static_cast<std::size_t>(count));
}

std::span<std::int64_t> HostObjects::count_all(std::uint64_t base, Division division) noexcept {
  const int shift = division.bin_width();
  return histogram(std::int64_t{1} << division.split, [&](const Block& block, std::int64_t* bins) {
    InRuns count(bins);
    visit(block, 0, block.end - block.begin,
          [&](std::int64_t, std::uint64_t key, std::int64_t weight) {
            count.add((key - base) >> shift, weight);
          });
  });
}

void HostObjects::count_kept(const Block& block, std::int64_t begin, std::int64_t end,
                             Division division, std::int64_t* bins) const noexcept {
  InRuns count(bins);
  visit_kept(block, begin, end, [&](Kept kept, std::uint64_t key, std::int64_t weight) {
    count.add(division.bin_of(kept.interval, key), weight);
  });
}

std::span<std::int64_t> HostObjects::keep_of_all(std::uint64_t base,
                                                 const NarrowingStep& step) noexcept {
  const int shift = step.division.bin_width();
  const std::int32_t* interval_of_bin = step.interval_of_bin.data();
  return histogram(step.intervals << step.next.split, [&](Block& block, std::int64_t* bins) {
    Kept* into = kept_.data() + block.offset;
    const std::int64_t objects = block.end - block.begin;
    std::int64_t to = 0;
    for (std::int64_t begin = 0; begin < objects; begin += turn) {
      const std::int64_t from = to;
      visit(block, begin, std::min(objects, begin + turn),
            [&](std::int64_t object, std::uint64_t key, std::int64_t) {
              const std::int32_t interval = interval_of_bin[(key - base) >> shift];
              into[to] = {static_cast<std::uint32_t>(object), interval};
              to += interval == dropped ? 0 : 1;  // a branch on this would be hard to predict
            });
      count_kept(block, from, to, step.next, bins);
    }
    block.kept = to;
  });
}

std::span<std::int64_t> HostObjects::keep_of_kept(const NarrowingStep& step) noexcept {
  const std::int32_t* interval_of_bin = step.interval_of_bin.data();
  return histogram(step.intervals << step.next.split, [&](Block& block, std::int64_t* bins) {
    Kept* into = kept_.data() + block.offset;
    std::int64_t to = 0;
    for (std::int64_t begin = 0; begin < block.kept; begin += turn) {
      const std::int64_t from = to;
      visit_kept(block, begin, std::min(block.kept, begin + turn),
                 [&](Kept kept, std::uint64_t key, std::int64_t) {
                   const std::int32_t interval =
                       interval_of_bin[step.division.bin_of(kept.interval, key)];
                   into[to] = {kept.object, interval};
                   to += interval == dropped ? 0 : 1;
                 });
      count_kept(block, from, to, step.next, bins);
    }
    block.kept = to;
  });
}

std::int64_t HostObjects::kept() const noexcept {
  std::int64_t sum = 0;
  for (const auto& blocks : blocks_)
    for (const Block& block : blocks) sum += block.kept;
  return sum;
}

std::vector<HostObjects::Item> HostObjects::kept_items() const {
  std::vector<Item> items;
  items.reserve(static_cast<std::size_t>(kept()));
  for (const auto& blocks : blocks_)
    for (const Block& block : blocks)
      visit_kept(block, 0, block.kept, [&](Kept, std::uint64_t key, std::int64_t weight) {
        items.push_back({key, weight});
      });
  return items;
}

std::vector<CurveKey> HostObjects::sample(std::int64_t every) const {
  std::vector<CurveKey> keys;
  for (const WeightedKeys& set : sets_)
    for (std::int64_t i = every / 2; i < std::ssize(set.keys); i += every)
      keys.push_back(set.keys[static_cast<std::size_t>(i)]);
  return keys;
}

std::span<std::int64_t> HostObjects::count_between(std::span<const CurveKey> boundaries) noexcept {
  return histogram(std::ssize(boundaries) + 1, [&](const Block& block, std::int64_t* bins) {
    InRuns count(bins);
    IntervalOf interval_of(boundaries);
    visit(block, 0, block.end - block.begin,
          [&](std::int64_t, std::uint64_t key, std::int64_t weight) {
            count.add(interval_of(key), weight);
          });
  });
}

std::vector<HostObjects::Item> HostObjects::items_in(std::span<const KeyRange> ranges) const {
  const std::vector<CurveKey> boundaries = boundaries_of(ranges);
  std::vector<Item> items;
  for (const auto& blocks : blocks_)
    for (const Block& block : blocks) {
      IntervalOf interval_of(boundaries);
      visit(block, 0, block.end - block.begin,
            [&](std::int64_t, std::uint64_t key, std::int64_t weight) {
              if (interval_of(key) % 2 == 1) items.push_back({key, weight});
            });
    }
  return items;
}

}  // namespace evenkeel
