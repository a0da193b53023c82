#include "migrate/merge.hpp"

#include "order/bisect.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/sort.hpp>
#include <evenkeel/backends/exec/space.hpp>

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>

namespace evenkeel {

namespace {

// Returns how many of the first `diagonal` objects of the merged run come from the first run.
// other_first(i, j) must return true if object j of the second run comes before object i of the
// first run.
template <class OtherFirst>
std::int64_t merged_of_first(std::int64_t size, std::int64_t others, std::int64_t diagonal,
                             const OtherFirst& other_first) {
  const std::int64_t low = diagonal > others ? diagonal - others : 0;
  const std::int64_t high = diagonal < size ? diagonal : size;
  return low + count_before_on_host(high - low, [&](std::int64_t i) {
           return !other_first(low + i, diagonal - 1 - (low + i));
         });
}

// Merges a piece of two runs. For each place in [begin, end), it calls put(false, i, place) if
// object i of the first run gets the place, or put(true, j, place) if object j of the second run
// does. No branch depends on the order of keys, because such a branch is hard to predict.
template <class OtherFirst, class Put>
void merge_piece(std::int64_t size, std::int64_t others, std::int64_t begin, std::int64_t end,
                 const OtherFirst& other_first, const Put& put) {
  std::int64_t i = merged_of_first(size, others, begin, other_first);
  std::int64_t j = begin - i;
  std::int64_t place = begin;
  while (place < end && i < size && j < others) {
    const bool is_other = other_first(i, j);
    put(is_other, is_other ? j : i, place++);
    j += is_other ? 1 : 0;
    i += is_other ? 0 : 1;
  }
  for (; place < end && i < size; ++i) put(false, i, place++);
  for (; place < end && j < others; ++j) put(true, j, place++);
}

// The part of a run that is not merged yet.
struct Rest {
  CurveKey key;  // its first key
  std::size_t run;
  std::int64_t begin, end;
  // The order is reversed, so that the top of a heap has the least first key.
  friend bool operator<(const Rest& a, const Rest& b) noexcept {
    return std::tuple(a.key.value, a.run) > std::tuple(b.key.value, b.run);
  }
};

// Returns the index of the first key in [begin, end) for which `before` is false. The search
// doubles its steps, because this key is often near `begin`.
template <class Before>
std::int64_t gallop(std::span<const CurveKey> keys, std::int64_t begin, std::int64_t end,
                    const Before& before) {
  std::int64_t step = 1, low = begin;
  while (low + step < end && before(keys[static_cast<std::size_t>(low + step)])) {
    low += step;
    step *= 2;
  }
  const std::int64_t high = std::min(end, low + step);
  return std::partition_point(keys.begin() + low, keys.begin() + high, before) - keys.begin();
}

// More runs than this are sorted instead of merged, because each doubling of their number costs
// another merge of all objects.
constexpr std::int64_t few_runs = 16;

// From this many ranges, the length of ranges can be estimated.
constexpr std::int64_t enough_ranges = 1024;

// The number of places in a piece. Each piece is one index of a parallel loop.
constexpr std::int64_t piece_length = 16384;
std::int64_t pieces_of(std::int64_t count) { return (count + piece_length - 1) / piece_length; }

constexpr const char* merge_label = "evenkeel::migrate::merge";

// --- Neighbours among several runs ---------------------------------------------------------------

struct KeyedValues {
  CurveKey* keys;
  std::int64_t* values;
};

// Merges two neighbouring runs into one. Each index merges one piece of the result.
struct MergeNeighbours {
  KeyedValues from, to;  // arrays that begin at the first of the two runs
  std::int64_t size, others;

  void operator()(std::int64_t piece) const {
    const CurveKey* const keys = from.keys;
    const auto other_first = [=, this](std::int64_t i, std::int64_t j) {
      return keys[size + j] < keys[i];
    };
    const auto put = [=, this](bool is_other, std::int64_t i, std::int64_t place) {
      const std::int64_t at = is_other ? size + i : i;
      to.keys[place] = keys[at];
      to.values[place] = from.values[at];
    };
    const std::int64_t begin = piece * piece_length;
    merge_piece(size, others, begin, std::min(size + others, begin + piece_length), other_first,
                put);
  }
};

template <class Instance>
void merge_neighbours(const Instance& instance, const MergeNeighbours& merge) {
  if constexpr (!is_device<Instance>)
    exec::for_each(instance, merge_label, pieces_of(merge.size + merge.others), merge);
}

// Merges neighbouring runs until there is only one. Run r begins at firsts[r]; the last entry is
// the end of the last run.
void merge_all(const Space& space, const KeyedValues& pairs, std::vector<std::int64_t> firsts) {
  if (firsts.size() <= 2) return;
  const std::int64_t count = firsts.back();
  const exec::Array<CurveKey> keys(space, merge_label, count);
  const exec::Array<std::int64_t> values(space, merge_label, count);
  const KeyedValues other = {keys.data(), values.data()};
  const KeyedValues *from = &pairs, *to = &other;
  while (firsts.size() > 2) {
    std::vector<std::int64_t> left = {0};
    for (std::size_t r = 0; r + 1 < firsts.size(); r += 2) {
      const std::int64_t begin = firsts[r], middle = firsts[r + 1];
      const std::int64_t end = firsts[std::min(r + 2, firsts.size() - 1)];
      const MergeNeighbours merge{{from->keys + begin, from->values + begin},
                                  {to->keys + begin, to->values + begin},
                                  middle - begin,
                                  end - middle};
      with_space(space, [&](const auto& instance) { merge_neighbours(instance, merge); });
      left.push_back(end);
    }
    space.fence(merge_label);
    firsts = std::move(left);
    std::swap(from, to);
  }
  if (from != &pairs)
    copy_bytes(space, pairs.values, values.memory(), from->values, values.memory(),
               count * static_cast<std::int64_t>(sizeof(std::int64_t)));
  if (from != &pairs)
    copy_bytes(space, pairs.keys, keys.memory(), from->keys, keys.memory(),
               count * static_cast<std::int64_t>(sizeof(CurveKey)));
  space.fence(merge_label);
}

// --- Objects that stay, and arrivals -------------------------------------------------------------

// If keys are equal, the order of arrival decides: other objects with an arrival below `first` come
// before the objects that stay.
KOKKOS_INLINE_FUNCTION bool other_is_first(const TwoRuns& runs, std::int64_t i, std::int64_t j) {
  const std::uint64_t ours = runs.keys[i].value, theirs = runs.other_keys[j].value;
  return (theirs < ours) | ((theirs == ours) & (runs.other_arrivals[j] < runs.first));
}

struct MergePlaces {
  TwoRuns runs;
  std::int64_t* places;

  void operator()(std::int64_t piece) const {
    const TwoRuns local = runs;  // a local copy: the compiler knows that no store below changes it
    std::int64_t* const into = places;
    const auto other_first = [&](std::int64_t i, std::int64_t j) {
      return other_is_first(local, i, j);
    };
    const auto put = [&](bool is_other, std::int64_t i, std::int64_t place) {
      into[is_other ? local.other_arrivals[i] : local.first + i] = place;
    };
    const std::int64_t begin = piece * piece_length;
    const std::int64_t end = std::min(local.staying + local.others, begin + piece_length);
    merge_piece(local.staying, local.others, begin, end, other_first, put);
  }
};

// For devices. Each object finds its own place: the number of objects before it in its own run,
// plus the number of objects before it in the other run. A binary search finds the latter.
struct PlaceOfStaying {
  TwoRuns runs;
  std::int64_t* places;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t others =
        count_before(runs.others, [&](std::int64_t j) { return other_is_first(runs, i, j); });
    places[runs.first + i] = i + others;
  }
};
struct PlaceOfOther {
  TwoRuns runs;
  std::int64_t* places;
  KOKKOS_FUNCTION void operator()(std::int64_t j) const {
    const std::int64_t staying =
        count_before(runs.staying, [&](std::int64_t i) { return !other_is_first(runs, i, j); });
    places[runs.other_arrivals[j]] = j + staying;
  }
};

template <class Instance>
void write_places_on(const Instance& instance, const TwoRuns& runs, std::int64_t* places) {
  if constexpr (is_device<Instance>) {
    exec::for_each(instance, merge_label, runs.staying, PlaceOfStaying{runs, places});
    exec::for_each(instance, merge_label, runs.others, PlaceOfOther{runs, places});
  } else {
    exec::for_each(instance, merge_label, pieces_of(runs.staying + runs.others),
                   MergePlaces{runs, places});
  }
}

}  // namespace

void write_places(const Space& space, const TwoRuns& runs, std::int64_t* places) {
  with_space(space, [&](const auto& instance) { write_places_on(instance, runs, places); });
  space.fence(merge_label);
}

void merge_runs(const Space& space, std::span<CurveKey> keys, std::span<std::int64_t> values,
                std::span<const std::int64_t> firsts) {
  if (firsts.size() <= 1) return;
  if (space.is_device() || std::ssize(firsts) > few_runs)
    return exec::sort_pairs(space, reinterpret_cast<std::uint64_t*>(keys.data()),
                            reinterpret_cast<std::uint64_t*>(values.data()), std::ssize(values));
  std::vector<std::int64_t> ends(firsts.begin(), firsts.end());
  ends.push_back(std::ssize(keys));
  merge_all(space, {keys.data(), values.data()}, std::move(ends));
}

std::vector<ObjectRange> merged_runs(std::span<const Run> runs, std::int64_t most) {
  std::vector<ObjectRange> ranges;
  std::priority_queue<Rest> rests;
  std::int64_t all = 0;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    const std::int64_t size = std::ssize(runs[run].keys);
    all += size;
    if (size > 0) rests.push({runs[run].keys.front(), run, 0, size});
  }
  std::int64_t to = 0;
  while (!rests.empty()) {
    const std::int64_t found = std::ssize(ranges);
    const bool too_short = found == enough_ranges && 2 * to < found * (all / most);
    if (found == most || too_short) return {};
    Rest least = rests.top();
    rests.pop();
    const Run& run = runs[least.run];
    std::int64_t next = least.end;
    if (!rests.empty()) {
      const Rest& other = rests.top();
      const bool first_of_equals = least.run < other.run;
      next = gallop(run.keys, least.begin, least.end, [&](CurveKey key) {
        return first_of_equals ? !(other.key < key) : key < other.key;
      });
    }
    ranges.push_back({run.first + least.begin, to, next - least.begin});
    to += next - least.begin;
    if (next == least.end) continue;
    least.begin = next;
    least.key = run.keys[static_cast<std::size_t>(next)];
    rests.push(least);
  }
  return ranges;
}

}  // namespace evenkeel
