#include "cut/optimal.hpp"
#include "cut/stage.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/core/chain.hpp>
#include <evenkeel/core/weights/speeds.hpp>

#include <algorithm>

namespace evenkeel {

namespace {

using Place = Search::Place;
using Item = CutObjects::Item;

struct WeightWindow {
  std::int64_t from, to;  // a range of weights that may be before a place
};

std::int64_t heaviest_part(std::span<const Place> places, std::int64_t total) {
  std::int64_t before = 0, heaviest = 0;
  for (const Place& place : places) {
    heaviest = std::max(heaviest, place.before - before);
    before = place.before;
  }
  return std::max(heaviest, total - before);
}

// Returns the windows that contain the places of all cuts in which no part is heavier than
// `heaviest`. Windows that touch are merged.
std::vector<WeightWindow> windows_of(std::int64_t parts, std::int64_t heaviest,
                                     std::int64_t total) {
  const auto several = [&](std::int64_t count) {  // weight of this many parts, limited to the total
    return count > total / heaviest ? total : count * heaviest;
  };
  std::vector<WeightWindow> windows;
  for (std::int64_t p = 1; p < parts; ++p) {
    const WeightWindow window{total - several(parts - p), several(p)};
    if (!windows.empty() && window.from <= windows.back().to)
      windows.back().to = window.to;
    else
      windows.push_back(window);
  }
  return windows;
}

// The greatest weight / speed of a part.
double longest_time(std::span<const Place> places, std::int64_t total,
                    std::span<const double> speeds) {
  std::int64_t before = 0;
  double longest = 0;
  for (std::size_t p = 0; p < speeds.size(); ++p) {
    const std::int64_t now = p < places.size() ? places[p].before : total;
    longest = std::max(longest, static_cast<double>(now - before) / speeds[p]);
    before = now;
  }
  return longest;
}

// The same for parts of different speeds, if each of them takes at most the time `longest`. Windows
// are a little too wide, because times are rounded.
std::vector<WeightWindow> windows_by_speed(std::span<const double> speeds, double longest,
                                           std::int64_t total) {
  constexpr double rounding = 1 + 0x1p-40;
  const SpeedsBefore before(speeds);
  const auto at_most = [&](double speed) {  // weight of parts of this speed together
    const double weight = longest * speed * rounding + 1;
    return weight < static_cast<double>(total) ? static_cast<std::int64_t>(weight) : total;
  };
  std::vector<WeightWindow> windows;
  for (std::size_t p = 1; p < speeds.size(); ++p) {
    const WeightWindow window{total - at_most(before.all() - before[p]), at_most(before[p])};
    if (!windows.empty() && window.from <= windows.back().to)
      windows.back().to = std::max(windows.back().to, window.to);
    else
      windows.push_back(window);
  }
  return windows;
}

// A stretch of the curve that a window covers: each of its keys may become a place.
struct CurveStretch {
  std::uint64_t first, last;     // both keys are in the stretch
  std::int64_t before, through;  // weight before `first`, and weight up to and including `last`
};

// The memory for the steps after the windows are known.
struct WindowSearch {
  std::vector<std::int64_t> from, to;  // weights at the begins, and at the ends, of windows
  std::vector<Place> starts;
  std::vector<CurveStretch> stretches;

  WindowSearch() = default;
  WindowSearch(std::span<const WeightWindow> windows, std::int64_t total) {
    for (const WeightWindow& window : windows) {
      from.push_back(std::max<std::int64_t>(window.from, 1));
      to.push_back(std::min(window.to, total));
    }
    starts.reserve(windows.size());
    stretches.reserve(windows.size());
  }
};

// Collective. Allocates nothing.
void find_stretches(Search& search, WindowSearch& work) {
  const auto found = search.run({work.from, Rounding::down});
  work.starts.assign(found.begin(), found.end());
  const std::span<const Place> ends = search.run({work.to, Rounding::up});
  for (std::size_t w = 0; w < work.starts.size(); ++w) {
    const CurveStretch stretch{work.starts[w].splitter, ends[w].splitter - 1, work.starts[w].before,
                               ends[w].before};
    if (!work.stretches.empty() && stretch.first <= work.stretches.back().last) {
      work.stretches.back().last = std::max(work.stretches.back().last, stretch.last);
      work.stretches.back().through = std::max(work.stretches.back().through, stretch.through);
    } else {
      work.stretches.push_back(stretch);
    }
  }
}

std::vector<Item> items_in(const CutObjects& objects, std::span<const CurveStretch> stretches) {
  std::vector<CutObjects::KeyRange> ranges;
  for (const CurveStretch& stretch : stretches) ranges.push_back({stretch.first, stretch.last});
  return objects.items_in(ranges);
}

// Runs on one rank only. Cuts the chain of all keys in the stretches; the objects between two
// stretches are a single item of the chain.
std::vector<Place> cut_chain_of(std::span<const CurveStretch> stretches, std::vector<Item> items,
                                std::int64_t total, std::size_t places,
                                std::span<const double> speeds) {
  sort_items(items);
  // Possible splitters, and the weight before each.
  std::vector<std::uint64_t> splitters = {0};
  std::vector<std::int64_t> prefix = {0};
  std::size_t item = 0;
  for (const CurveStretch& stretch : stretches) {
    if (stretch.before > prefix.back()) {
      splitters.push_back(stretch.first);
      prefix.push_back(stretch.before);
    }
    while (item < items.size() && items[item].key <= stretch.last) {
      const std::uint64_t key = items[item].key;
      std::int64_t sum = prefix.back();
      for (; item < items.size() && items[item].key == key; ++item) sum += items[item].weight;
      splitters.push_back(key + 1);
      prefix.push_back(sum);
    }
  }
  if (total > prefix.back()) {
    splitters.push_back(splitters.back());  // this entry can only be the end of the last part
    prefix.push_back(total);
  }
  const Chain chain = cut_prefix(std::span<const std::int64_t>(prefix),
                                 {.parts = static_cast<int>(places) + 1, .speeds = speeds});
  std::vector<Place> found;
  for (std::size_t p = 1; p <= places; ++p) {
    const auto offset = static_cast<std::size_t>(chain.offsets[p]);
    found.push_back({splitters[offset], prefix[offset]});
  }
  return found;
}

}  // namespace

std::vector<Place> find_optimal(const Communicator& communicator, CutObjects& objects,
                                Search& search, std::span<const Place> known, std::int64_t total,
                                std::span<const double> speeds) {
  const auto parts = std::ssize(known) + 1;
  const std::int64_t heaviest = heaviest_part(known, total);
  const bool is_optimal = parts == 1 || (speeds.empty() && heaviest <= (total - 1) / parts + 1);
  std::vector<Place> places;
  WindowSearch work;
  const Status made = attempt(stage_name, [&] {
    places.assign(known.begin(), known.end());
    if (!is_optimal)
      work = WindowSearch(speeds.empty()
                              ? windows_of(parts, heaviest, total)
                              : windows_by_speed(speeds, longest_time(known, total, speeds), total),
                          total);
  });
  vote(communicator, made);
  if (is_optimal) return places;

  find_stretches(search, work);
  const std::vector<CurveStretch>& stretches = work.stretches;
  std::vector<Item> mine;
  const Status selected = attempt(stage_name, [&] { mine = items_in(objects, stretches); });
  Gathered<Item> items = gather(communicator, selected, std::span<const Item>(mine), 0);
  Status cut;
  if (communicator.rank() == 0)
    cut = attempt(stage_name, [&] {
      places = cut_chain_of(stretches, std::move(items.values), total, places.size(), speeds);
    });
  vote(communicator, cut);
  communicator.broadcast(std::span(places), 0);
  return places;
}

}  // namespace evenkeel
