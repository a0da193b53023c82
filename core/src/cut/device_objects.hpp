#pragma once

// Objects in memory that a device works on. Sums are of integers, so they do not depend on the
// order of additions, and atomic additions suffice. Objects that are dropped stay in their place;
// they are marked, and later steps skip them. This is a template, so that tests can also run its
// kernels on hosts.

#include "cut/objects.hpp"
#include "order/bisect.hpp"

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/reduce.hpp>

namespace evenkeel {

namespace cut_on_device {

// The objects of one set.
struct Objects {
  const CurveKey* keys;
  const double* weights;  // null if all weigh the same
  std::int64_t count;
  Units units;

  KOKKOS_FUNCTION std::int64_t weight(std::int64_t object) const {
    return weights == nullptr ? units.one() : units.of(weights[object]);
  }
};

// Finds the interval of a key between ascending boundaries: interval i ends before boundaries[i].
struct Between {
  const CurveKey* boundaries;
  std::int64_t count;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t, std::uint64_t key) const {
    const CurveKey* const all = boundaries;
    return count_before(count, [all, key](std::int64_t i) { return all[i].value <= key; });
  }
};

struct InBins {
  std::uint64_t base;
  int shift;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t, std::uint64_t key) const {
    return static_cast<std::int64_t>((key - base) >> shift);
  }
};

// Marks each object with its new interval, or as dropped, and finds its new bin. Both follow from
// its old bin.
struct KeepOfAll {
  InBins bin_of;
  const std::int32_t* interval_of_bin;
  std::int32_t* intervals;  // by object
  CutObjects::Division next;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t object, std::uint64_t key) const {
    const std::int32_t interval = interval_of_bin[bin_of(object, key)];
    intervals[object] = interval;
    return interval < 0 ? -1 : static_cast<std::int64_t>(next.bin_of(interval, key));
  }
};
struct KeepOfKept {
  CutObjects::Division division;
  const std::int32_t* interval_of_bin;
  std::int32_t* intervals;
  CutObjects::Division next;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t object, std::uint64_t key) const {
    std::int32_t interval = intervals[object];
    if (interval < 0) return -1;
    interval = interval_of_bin[division.bin_of(interval, key)];
    intervals[object] = interval;
    return interval < 0 ? -1 : static_cast<std::int64_t>(next.bin_of(interval, key));
  }
};

// Adds the weight of each object to the bin that bin_of(object, key) returns, or to no bin if that
// is negative. Each index handles a short run of objects: neighbours in memory are often in the
// same bin, and then their sum is added with one atomic operation.
template <class BinOf>
struct AddObjectsToBins {
  static constexpr std::int64_t run = 8;
  Objects objects;
  BinOf bin_of;
  std::int64_t* bins;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const std::int64_t begin = index * run;
    const std::int64_t end = objects.count - begin < run ? objects.count : begin + run;
    std::int64_t bin = -1, sum = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t next = bin_of(i, objects.keys[i].value);
      if (next != bin) {
        if (bin >= 0) Kokkos::atomic_add(&bins[bin], sum);
        bin = next;
        sum = 0;
      }
      sum += objects.weight(i);
    }
    if (bin >= 0) Kokkos::atomic_add(&bins[bin], sum);
  }
};

struct IsInside {
  const CurveKey* keys;
  Between between;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t object) const {
    return between(object, keys[object].value) % 2;
  }
};

// Collects the chosen objects, in any order.
template <class IsChosen>
struct Take {
  Objects objects;
  IsChosen is_chosen;
  CutObjects::Item* items;
  std::int64_t* taken;
  KOKKOS_FUNCTION void operator()(std::int64_t object) const {
    if (is_chosen(object) != 0)
      items[Kokkos::atomic_fetch_add(taken, std::int64_t{1})] = {objects.keys[object].value,
                                                                 objects.weight(object)};
  }
};

struct TakeSample {
  const CurveKey* keys;
  std::int64_t every;
  CurveKey* sample;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { sample[i] = keys[every / 2 + i * every]; }
};

}  // namespace cut_on_device

template <class Instance>
class DeviceObjects final : public CutObjects {
 public:
  DeviceObjects(const Instance& instance, std::span<const WeightedKeys> sets,
                std::int64_t most_bins)
      : instance_(instance),
        space_(space_of(instance)),
        sets_(sets),
        bins_(space_, "evenkeel::cut::bins", most_bins),
        bins_on_host_(static_cast<std::size_t>(most_bins)),
        interval_of_bin_(space_, "evenkeel::cut::interval_of_bin", most_bins),
        boundaries_(space_, "evenkeel::cut::boundaries", most_bins) {
    std::int64_t objects = 0;
    for (const WeightedKeys& set : sets) objects += std::ssize(set.keys);
    intervals_ = exec::Array<std::int32_t>(space_, "evenkeel::cut::intervals", objects);
  }

  void weigh(const Units& units) noexcept override { units_ = units; }

  std::span<std::int64_t> count_all(std::uint64_t base, Division division) noexcept override {
    const cut_on_device::InBins bin_of{base, division.bin_width()};
    return histogram(std::int64_t{1} << division.split, [&](std::int64_t) { return bin_of; });
  }

  std::span<std::int64_t> keep_of_all(std::uint64_t base,
                                      const NarrowingStep& step) noexcept override {
    bring(interval_of_bin_, step.interval_of_bin);
    const cut_on_device::InBins bin_of{base, step.division.bin_width()};
    return histogram(step.intervals << step.next.split, [&](std::int64_t first) {
      return cut_on_device::KeepOfAll{bin_of, interval_of_bin_.data(), intervals_.data() + first,
                                      step.next};
    });
  }

  std::span<std::int64_t> keep_of_kept(const NarrowingStep& step) noexcept override {
    bring(interval_of_bin_, step.interval_of_bin);
    return histogram(step.intervals << step.next.split, [&](std::int64_t first) {
      return cut_on_device::KeepOfKept{step.division, interval_of_bin_.data(),
                                       intervals_.data() + first, step.next};
    });
  }

  std::int64_t kept() const noexcept override {
    return exec::sum<std::int64_t>(instance_, intervals_.size(),
                                   exec::IsAbove{intervals_.data(), -1});
  }

  std::vector<Item> kept_items() const override {
    return items([&](const cut_on_device::Objects&, std::int64_t first) {
      return exec::IsAbove{intervals_.data() + first, -1};
    });
  }

  std::vector<CurveKey> sample(std::int64_t every) const override {
    std::vector<CurveKey> keys;
    for (const WeightedKeys& set : sets_) {
      const std::int64_t count = (std::ssize(set.keys) + every - 1 - every / 2) / every;
      const exec::Array<CurveKey> some(space_, "evenkeel::cut::sample", count);
      exec::for_each(instance_, "evenkeel::cut::sample", count,
                     cut_on_device::TakeSample{set.keys.data(), every, some.data()});
      const std::size_t before = keys.size();
      keys.resize(before + static_cast<std::size_t>(count));
      some.fetch(0, std::span(keys).subspan(before));
    }
    return keys;
  }

  std::span<std::int64_t> count_between(std::span<const CurveKey> boundaries) noexcept override {
    bring(boundaries_, boundaries);
    const cut_on_device::Between between{boundaries_.data(), std::ssize(boundaries)};
    return histogram(std::ssize(boundaries) + 1, [&](std::int64_t) { return between; });
  }

  std::vector<Item> items_in(std::span<const KeyRange> ranges) const override {
    const std::vector<CurveKey> boundaries = boundaries_of(ranges);
    const exec::Array<CurveKey> there(space_, "evenkeel::cut::boundaries",
                                      std::span<const CurveKey>(boundaries));
    const cut_on_device::Between between{there.data(), std::ssize(boundaries)};
    return items([&](const cut_on_device::Objects& objects, std::int64_t) {
      return cut_on_device::IsInside{objects.keys, between};
    });
  }

 private:
  // `from` must stay valid until the next fetch.
  template <class T>
  void bring(const exec::Array<T>& to, std::span<const T> from) const {
    copy_bytes(space_, to.data(), to.memory(), from.data(), MemoryKind::host,
               static_cast<std::int64_t>(from.size_bytes()));
  }

  // Calls visit(objects, before) for each set; `before` is the number of objects in previous sets.
  template <class Visit>
  void for_each_set(const Visit& visit) const {
    std::int64_t before = 0;
    for (const WeightedKeys& set : sets_) {
      const bool alike = set.weights.empty() || units_.weightless();
      const cut_on_device::Objects objects{set.keys.data(), alike ? nullptr : set.weights.data(),
                                           std::ssize(set.keys), units_};
      visit(objects, before);
      before += objects.count;
    }
  }

  // bin_of_set(before) must return the functor that finds the bins of a set's objects; `before` is
  // the number of objects in previous sets.
  template <class BinOfSet>
  std::span<std::int64_t> histogram(std::int64_t count, const BinOfSet& bin_of_set) noexcept {
    const auto bins = std::span(bins_on_host_).first(static_cast<std::size_t>(count));
    exec::for_each(instance_, "evenkeel::cut::clear", count,
                   exec::Fill<std::int64_t>{bins_.data(), 0});
    for_each_set([&](const cut_on_device::Objects& objects, std::int64_t before) {
      using Add = cut_on_device::AddObjectsToBins<decltype(bin_of_set(before))>;
      exec::for_each(instance_, "evenkeel::cut::histogram",
                     (objects.count + Add::run - 1) / Add::run,
                     Add{objects, bin_of_set(before), bins_.data()});
    });
    bins_.fetch(0, bins);
    return bins;
  }

  // is_chosen_of(objects, before) must return the test that chooses objects of a set; `before` is
  // the number of objects in previous sets.
  template <class IsChosenOf>
  std::vector<Item> items(const IsChosenOf& is_chosen_of) const {
    std::int64_t count = 0;
    for_each_set([&](const cut_on_device::Objects& objects, std::int64_t before) {
      count += exec::sum<std::int64_t>(instance_, objects.count, is_chosen_of(objects, before));
    });
    std::vector<Item> found(static_cast<std::size_t>(count));
    const exec::Array<Item> there(space_, "evenkeel::cut::items", count);
    const exec::Array<std::int64_t> taken(space_, "evenkeel::cut::taken", 1);
    exec::for_each(instance_, "evenkeel::cut::clear", 1, exec::Fill<std::int64_t>{taken.data(), 0});
    for_each_set([&](const cut_on_device::Objects& objects, std::int64_t before) {
      using Take = cut_on_device::Take<decltype(is_chosen_of(objects, before))>;
      exec::for_each(instance_, "evenkeel::cut::take", objects.count,
                     Take{objects, is_chosen_of(objects, before), there.data(), taken.data()});
    });
    there.fetch(0, std::span(found));
    return found;
  }

  Instance instance_;
  Space space_;
  std::span<const WeightedKeys> sets_;
  Units units_;
  exec::Array<std::int64_t> bins_;
  std::vector<std::int64_t> bins_on_host_;
  exec::Array<std::int32_t> interval_of_bin_;
  exec::Array<CurveKey> boundaries_;
  exec::Array<std::int32_t> intervals_;  // by object; CutObjects::dropped if it is not kept
};

}  // namespace evenkeel
