#include "migrate/in_place.hpp"

#include "field/copy.hpp"
#include "order/bisect.hpp"

#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/core/field/staging.hpp>

#include <algorithm>

namespace evenkeel {

namespace {

constexpr const char* in_place_label = "evenkeel::migrate::in_place";

// New memory is this many times as large as necessary, unless the set has its own factor
// (SetOptions::reserve).
constexpr double usual_slack = 1.1;

// The place of each arrival: the holes are used first, then the places after all old objects.
struct PlaceOfArrival {
  const std::int64_t* holes;
  std::int64_t used, before;
  std::int64_t* places;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    places[i] = i < used ? holes[i] : before + (i - used);
  }
};

// Returns true if object `first` + i is not a hole, so that it stays.
struct Stays {
  const std::int64_t* holes;
  std::int64_t count, first;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    const std::int64_t object = first + i;
    const std::int64_t at =
        count_before(count, [this, object](std::int64_t k) { return holes[k] < object; });
    return at == count || holes[at] != object;
  }
};

struct ShiftValues {
  std::int64_t by;
  std::int64_t* values;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { values[i] += by; }
};

}  // namespace

SetInPlace::SetInPlace(const Set& set, const SetPlan& plan, std::span<const int> components)
    : set_(set),
      fields_(set.fields()),
      before_(set.count()),
      after_(plan.unlisted + plan.count_after),
      renewed_(fields_.size()) {
  check_new_count(set, after_);
  list(plan);
  buffers_.reserve(fields_.size());
  arrivals_.reserve(fields_.size());
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    FieldLayout at = fields_[f].layout();
    if (at.components == 0) at.components = components[f];
    const Buffer& buffer =
        buffers_.emplace_back(in_place_label, at.memory, plan.count_after * at.bytes_per_object());
    arrivals_.push_back(packed_like(at, buffer.data(), buffer.kind(), plan.count_after));
    auto& lists = lists_[static_cast<std::size_t>(at.memory)];
    const Space space = Space::where(at.memory);
    if (!lists)
      lists.emplace(Lists{exec::Reached<std::int64_t>(space, in_place_label, places_),
                          exec::Reached<std::int64_t>(space, in_place_label, from_),
                          exec::Reached<std::int64_t>(space, in_place_label, to_)});
    make_room(f, components[f]);
  }
}

void SetInPlace::list(const SetPlan& plan) {
  const Space space = plan.objects.space();
  const exec::Array<std::int64_t>& holes = plan.holes;
  const auto below =
      exec::sum<std::int64_t>(space, holes.size(), exec::IsBelow{holes.data(), after_});
  const std::int64_t used = std::min(below, plan.count_after);
  places_ = {space, in_place_label, plan.count_after};
  exec::for_each(space, in_place_label, places_.size(),
                 PlaceOfArrival{holes.data(), used, before_, places_.data()});
  if (below > used) {
    from_ = exec::numbers_that(space, in_place_label, before_ - after_,
                               Stays{holes.data(), holes.size(), after_});
    exec::for_each(space, in_place_label, from_.size(), ShiftValues{after_, from_.data()});
    to_ = exec::chosen(space, in_place_label, holes.data() + used,
                       exec::counted_up<std::int64_t>(space, in_place_label, below - used));
  }
  space.fence(in_place_label);
}

// If a field needs new memory, allocates it and copies the objects that stay.
void SetInPlace::make_room(std::size_t f, int components) {
  const SetOptions& options = set_.options();
  const bool is_ours = set_.is_companion(f);
  if (fields_[f].can_hold(after_, !is_ours && options.count.is_updated())) return;
  const bool stays = options.keep_allocation && !is_ours;
  const double slack = options.reserve > 0 && !is_ours ? options.reserve : usual_slack;
  const FieldLayout old = fields_[f].layout();
  const Space space = Space::where(old.memory);
  const bool is_fixed = stays || fields_[f].ownership() == Ownership::borrowed;
  const Room room =
      is_fixed ? Room{after_, components} : room_for(set_, f, after_, components, slack);
  StagedField& renewed = renewed_[f].emplace(
      fields_[f].stage(space, room, stays ? Placement::in_place : Placement::replace));
  if (before_ == 0) return;  // a View without extents may have other components
  copy_objects(space, renewed.layout(), old, std::min(before_, after_));
  fill_holes(renewed.layout(), old);
}

void SetInPlace::fill_holes(const FieldLayout& to, const FieldLayout& from) const {
  copy_chosen_objects(Space::where(from.memory), to, lists(from.memory).to.data(), from,
                      lists(from.memory).from.data(), from_.size());
}

void SetInPlace::commit(std::size_t f) noexcept {
  Field& field = fields_[f];
  FieldLayout at = field.layout();
  const Space space = Space::where(at.memory);
  if (!renewed_[f]) {
    fill_holes(at, at);
    space.fence(in_place_label);
    const bool is_counted = set_.options().count.is_updated() && !set_.is_companion(f);
    if (!is_counted || after_ > at.count) field.resize_in_place(after_);
    at = field.layout();
  } else {
    at = renewed_[f]->layout();
  }
  copy_chosen_objects(space, at, lists(at.memory).places.data(), arrivals_[f], nullptr,
                      places_.size());
  space.fence(in_place_label);
  if (renewed_[f])
    renewed_[f]->commit();
  else
    field.changed();
}

void SetInPlace::commit() noexcept {
  for (std::size_t f = 0; f < fields_.size(); ++f) commit(f);
  set_.options().count.update(after_);
}

}  // namespace evenkeel
