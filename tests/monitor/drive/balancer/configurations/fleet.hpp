#pragma once

// The sets of one configuration on this rank. All values of an object follow from its id and from
// the time, so every byte can be compared.

#include "monitor/drive/balancer/configurations/clouds.hpp"

#include <evenkeel/core/field/blocks.hpp>
#include <evenkeel/core/field/payload.hpp>

namespace evenkeel::test {

// A moment: the number of drifts since the last jump, and the number of jumps.
struct Moment {
  int time = 0, jumps = 0;
};

using Block = std::vector<unsigned char>;

inline const BlockFunctions<Block>& block_functions() {
  static const BlockFunctions<Block> functions = {
      .bytes = [](const Block& block) { return std::ssize(block); },
      .pack =
          [](const Block& block, std::span<std::byte> to) {
            std::ranges::copy(std::as_bytes(std::span(block)), to.begin());
            return std::ssize(to);
          },
      .unpack =
          [](Block& block, std::span<const std::byte> from) {
            block.resize(from.size());
            std::ranges::copy(from, std::as_writable_bytes(std::span(block)).begin());
            return std::ssize(from);
          }};
  return functions;
}

class FuzzSet {
 public:
  FuzzSet(const Configuration& all, std::size_t s, int rank)
      : geometry_(all.geometry),
        wraps_(all.options.wrap),
        choice_(all.sets[s]),
        cloud_(make_cloud(choice_, geometry_.dimensions, rank)) {}

  const SetChoice& choice() const { return choice_; }

  Set as_set() {
    Carried carried = cloud_->carried();
    SetOptions options = cloud_->options();
    const auto carry_too = [&](auto& field) { carried.fields.push_back(field_of(field)); };
    if (choice_.weights != Weights::none) {
      options.weight = weights_;
      if (choice_.carries_weights) carry_too(weights_);
    }
    if (choice_.has_types) {
      options.type = types_;
      options.features = features_;
    }
    if (choice_.has_groups) options.group = groups_, carry_too(groups_);
    if (choice_.has_pins) options.pinned = pins_, carry_too(pins_);
    if (choice_.has_graph) {
      carried.payloads.push_back(csr(rows_, neighbours_));
      GraphOptions known = {.id = row_ids_};
      carry_too(row_ids_);
      if (choice_.has_weak_edges) {
        known.edge_weight = edge_weights_;
        known.uncuttable = uncuttable_;
      }
      options.graph = graph(rows_, neighbours_, known);
    }
    if (choice_.has_csr) carried.payloads.push_back(csr(offsets_, values_));
    if (choice_.has_blocks) carried.payloads.push_back(blocks(blocks_, block_functions()));
    return Set(cloud_->position(), std::move(carried), options);
  }

  Ids ids() { return ids_in(as_set()); }

  // Writes values as an application does. This rank now has the objects `ids`; `alive` are the
  // living objects of all ranks.
  void write(const Ids& ids, const Moment& now, const Ids& alive) {
    cloud_->resize(ids.size());
    write_numbers(ids);
    alive_ = alive;
    std::ranges::sort(alive_);
    write_rows(ids);
    offsets_.assign(1, 0);
    values_.clear();
    blocks_.clear();
    blocks_.reserve(ids.size());
    for (const std::int64_t id : ids) {
      const std::vector<double> values = values_of(id);
      values_.insert(values_.end(), values.begin(), values.end());
      offsets_.push_back(static_cast<int>(values_.size()));
      blocks_.push_back(block_of(id));
    }
    const Set set = as_set();
    for (std::size_t f = 0; f < set.fields().size(); ++f)
      write_values(owned(set, f), bytes_of(set, f, ids, now));
  }

  // Weights that are not carried must be filled again after each call. So must types, features and
  // edges.
  void refill() {
    if (choice_.has_types) write_types(ids());
    if (choice_.weights != Weights::none && !choice_.carries_weights) write_weights(ids());
    if (choice_.has_graph) write_edges(ids());
  }

  // Returns the first fault of this rank's objects, or an empty text.
  std::string look(const Moment& now) {
    const Set set = as_set();
    const Ids here = ids_in(set);
    for (std::size_t f = 0; f < set.fields().size(); ++f) {
      const Bytes found = values_at<unsigned char>(owned(set, f));
      const Bytes expected = bytes_of(set, f, here, now);
      if (found == expected) continue;
      if (f > 0 || !wraps_) return set.describe(f) + " has other values";
      if (!are_wrapped(set, here, now)) return "a position is not that of its object";
    }
    return look_at_payloads(here);
  }

 private:
  static std::vector<double> values_of(std::int64_t id) {
    std::vector<double> values;
    for (std::uint64_t k = 0; k < mix(id, 40) % 5; ++k)
      values.push_back(share_of(id, 41 + static_cast<int>(k)));
    return values;
  }
  static Block block_of(std::int64_t id) {
    Block block(static_cast<std::size_t>(mix(id, 50) % 40));
    for (std::size_t k = 0; k < block.size(); ++k)
      block[k] = static_cast<unsigned char>(mix(id, 51 + static_cast<int>(k)));
    return block;
  }

  // Living objects form a chain with shortcuts. Some objects have no neighbours.
  Ids row_of(std::int64_t id) const {
    const auto place = std::ranges::lower_bound(alive_, id) - alive_.begin();
    Ids row;
    if (mix(id, 70) % 23 == 0) return row;
    for (const std::int64_t step : {-9, -1, 1, 9}) {
      const std::int64_t other = place + step;
      if (other < 0 || other >= std::ssize(alive_)) continue;
      const std::int64_t neighbour = alive_[static_cast<std::size_t>(other)];
      if (mix(neighbour, 70) % 23 != 0) row.push_back(neighbour);
    }
    return row;
  }
  void write_rows(const Ids& ids) {
    rows_.assign(1, 0);
    neighbours_.clear();
    for (const std::int64_t id : ids) {
      const Ids row = row_of(id);
      neighbours_.insert(neighbours_.end(), row.begin(), row.end());
      rows_.push_back(std::ssize(neighbours_));
    }
    write_edges(ids);
  }
  void write_edges(const Ids& ids) {
    edge_weights_.clear();
    uncuttable_.clear();
    for (const std::int64_t id : ids)
      for (const std::int64_t other : row_of(id)) {
        const std::uint64_t edge = mix(std::min(id, other) * 31 + std::max(id, other), 71);
        edge_weights_.push_back(static_cast<double>(edge % 5));
        uncuttable_.push_back(edge % 13 == 0 && !choice_.has_pins ? 1 : 0);
      }
  }

  // Leaves room for slack, as the fields of the cloud do.
  template <class T>
  void write_vector(std::vector<T>& vector, const Ids& ids, T (*value_of)(std::int64_t)) {
    const bool is_kept = cloud_->options().keep_allocation;
    vector.assign(is_kept ? fuzz_room : ids.size(), T{});
    std::ranges::transform(ids, vector.begin(), value_of);
    if (has_own_slack()) vector.resize(std::max(vector.size(), ids.size() + 3));
  }
  bool has_own_slack() const { return cloud_->options().count.given(); }
  void write_weights(const Ids& ids) {
    write_vector<double>(weights_, ids, [](std::int64_t) { return 0.0; });
    for (std::size_t i = 0; i < ids.size(); ++i) weights_[i] = weight_of(choice_.weights, ids[i]);
  }
  // The groups are the same in all sets.
  static std::int64_t group_of(std::int64_t id) {
    return mix(id, 7) % 3 == 0 ? -1 : id % ids_of_a_set / 4;
  }
  static int pin_of(std::int64_t id) { return mix(id, 8) % 7 == 0 ? 1 : 0; }
  // An application may change the types of its objects.
  void write_types(const Ids& ids) {
    write_vector<Types>(types_, ids, [](std::int64_t id) -> Types {
      return {static_cast<int>(mix(id, 60) % 3), mix(id, 61) % 2 == 0 ? no_type : 5};
    });
    write_vector<float>(features_, ids,
                        [](std::int64_t id) { return static_cast<float>(mix(id, 62) % 9); });
  }
  void write_numbers(const Ids& ids) {
    write_weights(ids);
    write_types(ids);
    write_vector<std::int64_t>(groups_, ids, &group_of);
    write_vector<std::int64_t>(row_ids_, ids, [](std::int64_t id) { return id; });
    write_vector<int>(pins_, ids, &pin_of);
  }

  double place(std::int64_t id, int axis, const Moment& now) const {
    return place_of(geometry_, choice_.is_single, id, axis, now.time, now.jumps);
  }

  void write_place(const Set& set, std::int64_t id, const Moment& now,
                   unsigned char* object) const {
    const FieldLayout field = set.fields().front().layout(), at = set.position();
    object += static_cast<const char*>(at.data) - static_cast<const char*>(field.data);
    for (int axis = 0; axis < at.components; ++axis, object += at.element_bytes) {
      const double exact = place(id, axis, now);
      const auto single = static_cast<float>(exact);
      if (at.scalar == ScalarType::float32)
        std::memcpy(object, &single, sizeof(single));
      else
        std::memcpy(object, &exact, sizeof(exact));
    }
  }

  // The bytes of field `f`: places, ids, the numbers that this class writes, or noise.
  Bytes bytes_of(const Set& set, std::size_t f, const Ids& ids, const Moment& now) const {
    const auto size = static_cast<std::size_t>(set.fields()[f].layout().bytes_per_object());
    Bytes bytes(ids.size() * size);
    const void* const container = set.fields()[f].container();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      unsigned char* object = bytes.data() + i * size;
      const auto hold = [&](const auto& value) { std::memcpy(object, &value, sizeof(value)); };
      if (f == 1)
        hold(ids[i]);
      else if (container == &weights_)
        hold(weight_of(choice_.weights, ids[i]));
      else if (container == &groups_)
        hold(group_of(ids[i]));
      else if (container == &row_ids_)
        hold(ids[i]);
      else if (container == &pins_)
        hold(pin_of(ids[i]));
      else
        for (std::size_t b = 0; b < size; ++b)
          object[b] = static_cast<unsigned char>(mix(ids[i], static_cast<int>(1000 * f + b)));
      if (f == 0) write_place(set, ids[i], now, object);
    }
    return bytes;
  }

  // Returns true if positions along periodic axes are in the box, and whole periods away from the
  // application's positions as far as precision allows. Other positions must be unchanged.
  template <class Real>
  bool are_wrapped_as(const Set& set, const Ids& ids, const Moment& now) const {
    const std::vector<Real> found = values_at<Real>(set.position());
    const Box box = geometry_.box();
    const auto n = static_cast<std::size_t>(geometry_.dimensions);
    for (std::size_t i = 0; i < ids.size(); ++i)
      for (std::size_t d = 0; d < n; ++d) {
        const auto put = static_cast<Real>(place(ids[i], static_cast<int>(d), now));
        const Real at = found[n * i + d];
        if (at == put) continue;
        const double lower = box.lower[d], upper = box.upper[d], period = upper - lower;
        if (!geometry_.periodic[d] || at < lower || at >= upper) return false;
        const double periods = (static_cast<double>(put) - static_cast<double>(at)) / period;
        const double off = std::abs(periods - std::round(periods));
        const double step =
            static_cast<double>(std::numeric_limits<Real>::epsilon()) *
                std::max({std::abs(static_cast<double>(put)), std::abs(lower), std::abs(upper)}) +
            static_cast<double>(std::numeric_limits<Real>::denorm_min());
        if (!(off <= 4 * step / period)) return false;
      }
    return true;
  }
  bool are_wrapped(const Set& set, const Ids& ids, const Moment& now) const {
    return choice_.is_single ? are_wrapped_as<float>(set, ids, now)
                             : are_wrapped_as<double>(set, ids, now);
  }

  std::string look_at_payloads(const Ids& here) const {
    if (choice_.has_csr && offsets_.size() != here.size() + 1) return "offsets were lost";
    if (choice_.has_blocks && blocks_.size() != here.size()) return "blocks were lost";
    if (choice_.has_graph && rows_.size() != here.size() + 1) return "rows were lost";
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (choice_.has_graph) {
        const Ids row = row_of(here[i]);
        const auto begin = neighbours_.begin() + rows_[i], end = neighbours_.begin() + rows_[i + 1];
        if (!std::equal(begin, end, row.begin(), row.end())) return "a row has changed";
      }
      if (choice_.has_blocks && blocks_[i] != block_of(here[i])) return "a block has changed";
      if (!choice_.has_csr) continue;
      const std::vector<double> expected = values_of(here[i]);
      const auto begin = values_.begin() + offsets_[i], end = values_.begin() + offsets_[i + 1];
      if (!std::equal(begin, end, expected.begin(), expected.end())) return "values have changed";
    }
    return {};
  }

  Geometry geometry_;
  bool wraps_;
  SetChoice choice_;
  std::unique_ptr<FuzzCloud> cloud_;
  std::vector<double> weights_;
  std::vector<std::int64_t> groups_;
  std::vector<int> pins_;
  using Types = std::array<int, 2>;
  std::vector<Types> types_;
  std::vector<float> features_;
  std::vector<int> offsets_ = {0};
  std::vector<double> values_;
  std::vector<Block> blocks_;
  Ids alive_, row_ids_, neighbours_;
  std::vector<std::int64_t> rows_ = {0};
  std::vector<double> edge_weights_;
  std::vector<int> uncuttable_;

 public:
  // The oracle needs these values of an id.
  std::int64_t group(std::int64_t id) const { return choice_.has_groups ? group_of(id) : -1; }
  bool is_pinned(std::int64_t id) const { return choice_.has_pins && pin_of(id) != 0; }
};

}  // namespace evenkeel::test
