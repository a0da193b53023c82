#include "graph/nets/steps.hpp"
#include "graph/stage.hpp"

#include "graph/levels/atomics.hpp"
#include "graph/levels/travel.hpp"
#include "order/bisect.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>

#include <algorithm>

namespace evenkeel::graphs {

namespace {

struct PartOfPin {
  const Address *pins, *ghosts;
  std::int64_t ghost_count, owned;
  int rank;
  const int* parts;  // by object and ghost
  KOKKOS_FUNCTION int operator()(std::int64_t i) const {
    const Address pin = pins[i];
    return parts[rank_of(pin) == rank ? index_of(pin) : owned + place_in(ghosts, ghost_count, pin)];
  }
};

// Writes the number of parts that a net is in. For large nets it writes 0; CountKeys counts those.
struct CountParts {
  const std::int64_t* offsets;
  PartOfPin part_of;
  std::int64_t* counts;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    counts[e] = 0;
    if (offsets[e + 1] - offsets[e] > most_net_pins) return;
    int parts[most_net_pins];
    int count = 0;
    for (std::int64_t i = offsets[e]; i < offsets[e + 1]; ++i) {
      const int part = part_of(i);
      int at = 0;
      while (at < count && parts[at] != part) ++at;
      if (at == count) parts[count++] = part;
    }
    counts[e] = count;
  }
};

// Writes a key for each pin of a large net, made from the net and the part of the pin. So the
// number of distinct keys of a net is the number of its parts.
struct WriteKeys {
  const std::int64_t *offsets, *nets, *firsts;
  PartOfPin part_of;
  std::int64_t parts;
  std::uint64_t* keys;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t begin = offsets[nets[i]], length = offsets[nets[i] + 1] - begin;
    for (std::int64_t k = 0; k < length; ++k)
      keys[firsts[i] + k] = static_cast<std::uint64_t>(i * parts + part_of(begin + k));
  }
};
template <class Instance>
struct CountKeys {
  const std::uint64_t* keys;
  const std::int64_t* nets;
  std::int64_t parts;
  std::int64_t* counts;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    add<Instance>(&counts[nets[static_cast<std::int64_t>(keys[i]) / parts]], std::int64_t{1});
  }
};

void count_large(const Space& space, const NetsGiven& given, const PartOfPin& part_of,
                 std::int64_t parts, const exec::Array<std::int64_t>& counts) {
  const exec::Array<std::int64_t> large =
      exec::numbers_that(space, nets_label, given.count(), IsLarge{given.offsets.data()});
  if (large.empty()) return;
  const exec::Array<std::int64_t> firsts(space, nets_label, large.size());
  exec::for_each(space, nets_label, large.size(),
                 exec::RowLengths{given.offsets.data(), large.data(), firsts.data()});
  const exec::Array<std::uint64_t> keys(space, nets_label, exec::sum_up(firsts));
  exec::for_each(
      space, nets_label, large.size(),
      WriteKeys{given.offsets.data(), large.data(), firsts.data(), part_of, parts, keys.data()});
  const exec::Array<std::uint64_t> each = exec::distinct(space, nets_label, keys);
  with_space(space, [&](const auto& instance) {
    using Instance = std::remove_cvref_t<decltype(instance)>;
    exec::for_each(instance, nets_label, each.size(),
                   CountKeys<Instance>{each.data(), large.data(), parts, counts.data()});
    exec::fence(instance, nets_label);
  });
}

struct Connectivity {
  const std::int64_t* counts;
  const EdgeUnits* weights;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t e) const {
    return counts[e] > 1 ? weights[e] * (counts[e] - 1) : 0;
  }
};

struct Counted {
  std::int64_t connectivity, cut, most;
};
void combine_counted(Counted& into, const Counted& from) noexcept {
  into.connectivity += from.connectivity;
  into.cut += from.cut;
  into.most = std::max(into.most, from.most);
}

}  // namespace

NetReport net_report(const Space& space, const Communicator& communicator, const NetsGiven& given,
                     const exec::Array<int>& parts, int part_count) {
  const int rank = communicator.rank();
  exec::Array<Address> elsewhere;
  Status ready = attempt(stage_name, [&] {
    if (communicator.size() == 1) return;
    elsewhere =
        exec::distinct(space, nets_label,
                       exec::chosen(space, nets_label, given.pins.data(),
                                    exec::numbers_that(space, nets_label, given.pins.size(),
                                                       IsElsewhere{given.pins.data(), rank})));
  });
  const Ghosts ghosts(communicator, ready, space, std::move(elsewhere), {});
  exec::Array<int> all_parts;
  ready = attempt(stage_name, [&] {
    all_parts = {space, nets_label, parts.size() + ghosts.count()};
    exec::for_each(space, nets_label, parts.size(), exec::Copy{parts.data(), all_parts.data()});
  });
  ghosts.refresh(all_parts, 1, ready);
  Counted mine = {};
  ready = attempt(stage_name, [&] {
    const PartOfPin part_of{
        given.pins.data(), ghosts.addresses().data(), ghosts.count(), parts.size(), rank,
        all_parts.data()};
    const std::int64_t count = given.count();
    const exec::Array<std::int64_t> counts(space, nets_label, count);
    exec::for_each(space, nets_label, count,
                   CountParts{given.offsets.data(), part_of, counts.data()});
    count_large(space, given, part_of, part_count, counts);
    mine.connectivity =
        exec::sum<std::int64_t>(space, count, Connectivity{counts.data(), given.weights.data()});
    mine.cut = exec::sum<std::int64_t>(space, count, exec::IsAbove{counts.data(), 1});
    if (count > 0)
      mine.most = exec::extremes<std::int64_t>(space, count, exec::ValueAt{counts.data()}).greatest;
  });
  const Counted all = vote<&combine_counted>(communicator, ready, mine);
  NetReport report;
  report.parts = part_count;
  report.objects = given.objects.all.vertices;
  report.nets = given.all.nets;
  report.pins = given.all.pins;
  report.large = given.all.large;
  report.connectivity = static_cast<double>(all.connectivity) / given.units_of_one;
  report.cut_nets = all.cut;
  report.most_parts = all.most;
  return report;
}

}  // namespace evenkeel::graphs
