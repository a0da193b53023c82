#include "field/stage.hpp"

#include <evenkeel/core/field/set.hpp>
#include <evenkeel/core/field/staging.hpp>

#include <algorithm>
#include <cmath>

namespace evenkeel {

namespace {

// A double in a packed record may have an odd address, which devices cannot read.
void check_alignment(const Set& set, const FieldLayout& at) {
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(at.data));
  const auto aligned = [&](std::int64_t bytes) { return bytes % at.element_bytes == 0; };
  if (aligned(address) && aligned(at.object_stride_bytes) && aligned(at.component_stride_bytes))
    return;
  refuse(set.describe(0) + " is not aligned to its " + name_of(at.scalar) + "s.",
         "Remove the packing of the record, or keep the position outside of the record.");
}

void check_position(const Set& set) {
  const FieldLayout at = set.position();
  const bool real = at.scalar == ScalarType::float32 || at.scalar == ScalarType::float64;
  const bool unknown = at.components == 0 && at.count == 0;  // a View that was never given extents
  if (real && (at.components == 2 || at.components == 3 || unknown))
    return check_alignment(set, at);
  refuse(set.describe(0) + " has " + std::to_string(at.components) + " component(s) of type " +
             name_of(at.scalar) + '.',
         "A position has 2 or 3 components of float or double; records declare theirs with "
         "evenkeel::PositionIn.");
}

void check_count(const Set& set) {
  const OwnedCount& count = set.options().count;
  if (count.given() && count.value() < 0)
    refuse("The set's .count is negative.", "Give the number of owned objects, 0 or more.");
}

void check_lengths(const Set& set) {
  const std::int64_t owned = set.count();
  const bool given = set.options().count.given();
  for (std::size_t i = 0; i < set.fields().size(); ++i) {
    const std::int64_t length = set.fields()[i].layout().count;
    if (given ? length >= owned : length == owned) continue;
    refuse(set.describe(i) + " has " + std::to_string(length) + " objects, but the set has " +
               std::to_string(owned) + '.',
           given
               ? "Give every field at least .count objects."
               : "Give every field of a set the same number of objects, or give the set a .count.");
  }
}

void check_ownership(const Set& set) {
  if (set.options().keep_allocation || set.options().allow_aliases) return;
  for (std::size_t i = 0; i < set.fields().size(); ++i)
    if (set.fields()[i].ownership() == Ownership::shared)
      refuse(set.describe(i) + " is also held by another View, which would keep the old values.",
             "Release the other View first, or give the set .keep_allocation or .allow_aliases. "
             "Most often it is a host mirror: on a host create_mirror_view returns the View "
             "itself.");
}

// The addresses of a field, from the begin of its first value to the end of its last value.
struct FieldExtent {
  const char *begin, *end;
  explicit FieldExtent(const FieldLayout& at)
      : begin(static_cast<const char*>(at.data)), end(begin) {
    if (at.capacity > 0 && at.components > 0)
      end += (at.capacity - 1) * at.object_stride_bytes +
             (at.components - 1) * at.component_stride_bytes + at.element_bytes;
  }
};

// Returns true if two fields occupy the same range of addresses but share no byte, such as two
// components of one array or two members of a record. Then each field has its own bytes within the
// common stride.
bool are_interleaved(const FieldLayout& a, const FieldLayout& b) {
  const std::int64_t stride = a.object_stride_bytes;
  const auto window = [](const FieldLayout& at) {
    return (at.components - 1) * at.component_stride_bytes + at.element_bytes;
  };
  if (stride != b.object_stride_bytes || window(a) > stride || window(b) > stride) return false;
  const std::int64_t distance = static_cast<const char*>(b.data) - static_cast<const char*>(a.data);
  return distance >= 0 ? distance >= window(a) && distance + window(b) <= stride
                       : -distance >= window(b) && -distance + window(a) <= stride;
}

bool share_memory(const Field& a, const Field& b) {
  if (a.container() == b.container()) return true;
  const FieldLayout at = a.layout(), bt = b.layout();
  const FieldExtent x(at), y(bt);
  const bool meet = x.begin != x.end && y.begin != y.end && x.begin < y.end && y.begin < x.end;
  return meet && !are_interleaved(at, bt);
}

// If two fields had the same memory, both would be moved, and the values of one would be lost.
void check_distinct(std::span<const Set> sets) {
  struct FieldOfSet {
    const Set* set;
    std::size_t index;
    const Field& field() const { return set->fields()[index]; }
    std::string name() const { return set->describe(index); }
  };
  std::vector<FieldOfSet> places;
  for (const Set& set : sets)
    for (std::size_t i = 0; i < set.fields().size(); ++i) places.push_back({&set, i});
  for (auto a = places.begin(); a != places.end(); ++a)
    for (auto b = a + 1; b != places.end(); ++b)
      if (share_memory(a->field(), b->field()))
        refuse(a->name() + " and " + b->name() + (a->set == b->set ? "" : " of another set") +
                   " are the same memory.",
               "Name each field once.");
}

// If two payloads had the same memory, the values of one would be lost.
void check_payloads_apart(std::span<const Set> sets) {
  std::vector<const void*> taken;
  for (const Set& set : sets)
    for (const Field& field : set.fields()) taken.push_back(field.container());
  for (const Set& set : sets)
    for (const auto& payload : set.payloads()) {
      const void* const container = payload->container();
      if (container != nullptr && std::find(taken.begin(), taken.end(), container) != taken.end())
        refuse("The payload '" + payload->label() +
                   "' is carried twice, or is also carried as a field.",
               "Name each once.");
      taken.push_back(container);
    }
}

// If two sets had the same count variable, both would write it, and one of the counts would be
// lost.
void check_counts_apart(std::span<const Set> sets) {
  for (std::size_t a = 0; a < sets.size(); ++a)
    for (std::size_t b = a + 1; b < sets.size(); ++b) {
      const void* variable = sets[a].options().count.variable();
      if (variable != nullptr && variable == sets[b].options().count.variable())
        refuse("Two sets have the same variable behind .count.", "Give each set one of its own.");
    }
}

// If the keys did not move with the objects, they would belong to other objects after a move.
void check_key(const Set& set) {
  const NumberSource& key = set.options().key;
  if (!key.given()) return;
  for (const Field& field : set.fields())
    if (field.container() == key.container()) return;
  refuse("The keys '" + key.label() + "' are not among the fields that the set carries.",
         "Carry the field that is the .key.");
}

// Weights of several sets can be compared only if they have the same unit.
void check_units(std::span<const Set> sets) {
  const auto any = [&](bool seconds) {
    return std::any_of(sets.begin(), sets.end(), [&](const Set& set) {
      return set.options().weight.given() && set.options().weight.in_seconds() == seconds;
    });
  };
  if (any(true) && any(false))
    refuse("Some sets have weights in seconds, others without a unit.",
           "Use ek::costs for the weights of all sets, or of no set.");
}

Placement placement_of(const Set& set, std::size_t index, std::int64_t count) {
  const SetOptions& options = set.options();
  const bool keep =
      options.keep_allocation ||
      (options.reserve > 0 && set.fields()[index].can_hold(count, options.count.is_updated()));
  return keep && !set.is_companion(index) ? Placement::in_place : Placement::replace;
}

void check_reserve(const Set& set) {
  const double reserve = set.options().reserve;
  if (reserve == 0) return;
  constexpr double most = 1e6;
  if (!(reserve >= 1 && reserve <= most))
    refuse(
        "The set's .reserve is " + std::to_string(reserve) + '.',
        "Give the room as a multiple of the number of objects, such as 1.2, or 0 for no reserve.");
  for (std::size_t i = 0; i < set.fields().size(); ++i)
    if (!set.options().count.is_updated() &&
        !set.fields()[i].knows_its_count(Placement::in_place) && !set.is_companion(i))
      refuse(set.describe(i) +
                 " would have room for more objects than it holds, and nothing would "
                 "store how many objects it holds.",
             "Give the set a variable for this number: .count = &owned.");
}

void check_who_knows_the_count(const Set& set) {
  if (set.options().count.is_updated()) return;
  for (std::size_t i = 0; i < set.fields().size(); ++i)
    if (!set.fields()[i].knows_its_count(placement_of(set, i, set.count())))
      refuse(
          set.describe(i) + " keeps its memory, so nothing would store how many objects it holds.",
          "Give the set a variable for this number: .count = &owned.");
}

// `what` is the name of the numbers in messages. If `reals` is set, they may have fractions.
void check_numbers(const Set& set, const NumberSource& numbers, const std::string& what,
                   bool reals) {
  if (!numbers.given()) return;
  const FieldLayout layout = numbers.layout();
  const bool is_real = layout.scalar == ScalarType::float32 || layout.scalar == ScalarType::float64;
  if (layout.scalar == ScalarType::none || layout.components != 1 || (is_real && !reals))
    refuse(
        "The " + what + "s '" + numbers.label() + "' are not one " +
            (reals ? "number" : "integer") + " per object.",
        reals ? "Give one float, double or integer per object." : "Give one integer per object.");
  if (layout.count < set.count())
    refuse("There are " + std::to_string(layout.count) + ' ' + what + "s for " +
               std::to_string(set.count()) + " objects.",
           "Give one " + what + " per owned object.");
}

// Checks numbers that may have several components per object. On a rank without objects, the number
// of components may be unknown.
void check_columns(const Set& set, const NumberSource& numbers, const std::string& what, int most,
                   bool reals) {
  if (!numbers.given() || set.count() == 0) return;
  const FieldLayout layout = numbers.layout();
  const bool is_real = layout.scalar == ScalarType::float32 || layout.scalar == ScalarType::float64;
  if (layout.scalar == ScalarType::none || layout.components < 1 || layout.components > most ||
      (is_real && !reals))
    refuse("The " + what + "s '" + numbers.label() + "' have " + std::to_string(layout.components) +
               " values of type " + name_of(layout.scalar) + " per object.",
           "Give from 1 to " + std::to_string(most) + (reals ? " numbers" : " integers") +
               " per object.");
  if (layout.count < set.count())
    refuse("There are " + what + "s for " + std::to_string(layout.count) + " of " +
               std::to_string(set.count()) + " objects.",
           "Give " + what + "s for each owned object.");
}

// With this limit the bytes of the objects of thousands of ranks add up without overflow.
void check_bytes(const Set& set) {
  constexpr std::int64_t most = std::int64_t{1} << 50;
  const std::int64_t bytes = set.options().bytes_per_object;
  if (bytes >= 0 && bytes <= most / std::max<std::int64_t>(set.count(), 1)) return;
  refuse("The set's .bytes_per_object is " + std::to_string(bytes) + '.',
         "Give the bytes of the data that the application moves with an object, at most 2^50 for "
         "all objects of a rank. Give 0 if it moves no further data.");
}

void check_type_costs(const Set& set) {
  const std::vector<double>& costs = set.options().type_costs;
  const auto is_bad = [](double cost) { return !std::isfinite(cost) || cost < 0; };
  if (costs.size() <= static_cast<std::size_t>(most_types) &&
      std::none_of(costs.begin(), costs.end(), is_bad))
    return;
  refuse(
      "A number in the set's .type_costs is negative or not finite, or there are too many numbers.",
      "Give up to " + std::to_string(most_types) + " finite numbers of at least 0, one per type.");
}

}  // namespace

Set::Set(Field position, Carried carried, const SetOptions& options)
    : fields_(std::move(carried.fields)),
      payloads_(std::move(carried.payloads)),
      options_(options) {
  fields_.insert(fields_.begin(), std::move(position));
}

void Set::accompany(Field field) {
  fields_.push_back(std::move(field));
  ++companions_;
}

std::int64_t Set::count() const {
  return options_.count.given() ? options_.count.value() : fields_.front().layout().count;
}

FieldLayout Set::position() const {
  FieldLayout at = fields_.front().position();
  at.count = count();
  return at;
}

std::string Set::describe(std::size_t index) const {
  const std::string label = '\'' + fields_[index].label() + '\'';
  if (index == 0) return "The position " + label;
  return "Field " + std::to_string(index) + ", " + label + ',';
}

void check(const Set& set) {
  check_count(set);
  check_position(set);
  check_lengths(set);
  check_numbers(set, set.options().weight, "weight", true);
  check_columns(set, set.options().type, "type", most_types, false);
  check_columns(set, set.options().features, "feature", most_features, true);
  check_type_costs(set);
  check_bytes(set);
  check_numbers(set, set.options().bytes, "size", true);
  check_numbers(set, set.options().key, "key", false);
  check_numbers(set, set.options().group, "group", false);
  check_numbers(set, set.options().pinned, "pin", false);
}

void check_each(std::span<const Set> sets) {
  for (const Set& set : sets) check(set);
}

void check_movable(std::span<const Set> sets) {
  check_each(sets);
  check_distinct(sets);
  check_payloads_apart(sets);
  check_counts_apart(sets);
  check_units(sets);
  for (const Set& set : sets) {
    check_key(set);
    check_ownership(set);
    check_reserve(set);
    check_who_knows_the_count(set);
    for (const auto& payload : set.payloads()) payload->check(set.count(), set.options());
  }
}

void check_movable(const Set& set) { check_movable(std::span<const Set>(&set, 1)); }

void check_new_count(const Set& set, std::int64_t count) {
  const OwnedCount& owned = set.options().count;
  if (owned.is_updated() && count > owned.most())
    refuse("The variable behind .count cannot hold " + std::to_string(count) + '.',
           "Make it a 64-bit integer.");
}

Room room_for(const Set& set, std::size_t index, std::int64_t count, int components,
              double reserve) {
  const auto roomy = static_cast<std::int64_t>(std::ceil(static_cast<double>(count) * reserve));
  const std::int64_t capacity = std::max(count, roomy);
  // If a field does not store its count, its capacity is its number of objects.
  const bool stores_count = set.fields()[index].knows_its_count(Placement::in_place);
  if (!stores_count && set.options().count.is_updated()) return {capacity, components};
  return {count, components, capacity};
}

StagedSet stage(const Space& space, const Set& set, std::int64_t count,
                std::span<const int> components) {
  const OwnedCount& owned = set.options().count;
  StagedSet staged;
  staged.owned_ = owned;
  staged.count_ = count;
  check_new_count(set, count);
  for (std::size_t i = 0; i < set.fields().size(); ++i) {
    const Field& field = set.fields()[i];
    const int known = components.empty() ? field.layout().components : components[i];
    const Placement placement = placement_of(set, i, count);
    const double reserve = set.is_companion(i) ? 0 : set.options().reserve;
    const Room room = placement == Placement::replace ? room_for(set, i, count, known, reserve)
                                                      : Room{count, known};
    staged.fields_.push_back(field.stage(space, room, placement));
  }
  return staged;
}

StagedSet::StagedSet(StagedSet&& other) noexcept
    : fields_(std::move(other.fields_)),
      owned_(std::exchange(other.owned_, {})),
      count_(other.count_) {}

StagedSet& StagedSet::operator=(StagedSet&& other) noexcept {
  fields_ = std::move(other.fields_);
  owned_ = std::exchange(other.owned_, {});
  count_ = other.count_;
  return *this;
}

StagedSet::~StagedSet() = default;

void StagedSet::commit() noexcept {
  for (StagedField& field : fields_) field.commit();
  std::exchange(owned_, {}).update(count_);
}

}  // namespace evenkeel
