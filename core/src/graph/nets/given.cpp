#include "graph/nets/given.hpp"
#include "graph/stage.hpp"

#include "field/numbers.hpp"
#include "graph/input/ids.hpp"
#include "order/bisect.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/core/field/array.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace evenkeel::graphs {

namespace {

// The input of this rank, before it is combined with that of other ranks.
struct NetsHere {
  std::int64_t objects = 0;
  exec::Array<std::int64_t> offsets, pins;
  exec::Array<std::uint64_t> ids;  // ids of pins; empty if the application gives numbers
  exec::Array<double> weights;     // empty if all are 1
};

void read_offsets(const Space& space, const NumberSource& offsets, NetsHere& told) {
  const std::int64_t entries = offsets.layout().count;
  if (entries == 0) {
    told.offsets = exec::filled<std::int64_t>(space, nets_label, 1, 0);
    return;
  }
  told.offsets = integers(space, offsets, "offsets", entries, "nets");
  std::int64_t first = 0;
  told.offsets.fetch(0, {&first, 1});
  const std::int64_t falls = exec::first_that(space, entries - 1, exec::Falls{told.offsets.data()});
  if (first != 0 || falls < entries - 1)
    refuse("The offsets of nets in '" + offsets.label() + "' begin at " + std::to_string(first) +
               (falls < entries - 1 ? " and fall after net " + std::to_string(falls) : "") + '.',
           "Offsets begin at 0 and never fall.");
}

NetsHere read_told(const Space& space, const Nets& nets) {
  if (!nets.offsets().given() || !nets.pins().given())
    refuse("Nets came without offsets or pins.",
           "Give both; a rank without nets has one offset, 0.");
  NetsHere told;
  told.objects = nets.objects().given() ? nets.objects().value() : -1;
  if (told.objects < 0)
    refuse("The number of objects of this rank is missing or negative.",
           "Give the number of objects; it does not follow from the nets.");
  read_offsets(space, nets.offsets(), told);
  const std::int64_t count = told.offsets.size() - 1;
  std::int64_t pins = 0;
  told.offsets.fetch(count, {&pins, 1});
  if (nets.options().id.given())
    told.ids = ids(space, nets.pins(), "pins", pins, "places in nets", Length::at_least);
  else
    told.pins = integers(space, nets.pins(), "pins", pins, "places in nets", Length::at_least);
  const NumberSource& weight = nets.options().net_weight;
  if (weight.given()) {
    require_numbers(weight, "net weights", count, "nets", Length::at_least);
    told.weights =
        reals(space, weight, "net weights", component_of(weight.layout(), 0), count, false);
  }
  if (count >= std::int64_t{1} << 31U)
    refuse("A rank gives " + std::to_string(count) + " nets.", "Use more ranks.");
  return told;
}

struct IsUnevenWeight {
  const double* values;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t e) const {
    return values[e] >= 0x1p53 ||
                   static_cast<double>(static_cast<std::int64_t>(values[e])) != values[e]
               ? 1
               : 0;
  }
};

NetSums sums_of(const Space& space, const NetsHere& told, const Nets& nets) {
  NetSums mine = {};
  mine.nets = told.offsets.size() - 1;
  mine.pins = told.pins.size() + told.ids.size();
  mine.large = exec::sum<std::int64_t>(space, mine.nets, IsLarge{told.offsets.data()});
  mine.ranks = mine.nets > 0 ? 1 : 0;
  mine.has_weights = nets.options().net_weight.given() ? mine.ranks : 0;
  if (told.weights.empty()) return mine;
  mine.heaviest =
      exec::extremes<double>(space, told.weights.size(), exec::ValueAt{told.weights.data()})
          .greatest;
  mine.uneven =
      exec::sum<std::int64_t>(space, told.weights.size(), IsUnevenWeight{told.weights.data()});
  return mine;
}

void combine_sums(NetSums& into, const NetSums& from) noexcept {
  into.nets += from.nets;
  into.pins += from.pins;
  into.large += from.large;
  into.has_weights += from.has_weights;
  into.ranks += from.ranks;
  into.heaviest = std::max(into.heaviest, from.heaviest);
  into.uneven += from.uneven;
}

// The weight of a net is divided among its edges. Small integer weights are scaled to multiples of
// all possible divisors, so that these divisions are exact.
double units_of_one(const NetSums& all) {
  constexpr double divisible = 27720;  // divisible by 1 to 12
  const double heaviest = all.has_weights > 0 ? all.heaviest : 1;
  if (!(heaviest > 0)) return 1;
  if (all.uneven == 0 && heaviest * divisible <= heaviest_net) return divisible;
  return std::ldexp(1.0, std::ilogb(heaviest_net) - 1 - std::ilogb(heaviest));
}

struct WriteUnits {
  const double* weights;  // null if all are 1
  double factor;
  EdgeUnits* units;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    const double weight = weights != nullptr ? weights[e] : 1;
    const double exact = weight * factor;
    units[e] = weight > 0 && exact < 1 ? 1 : static_cast<EdgeUnits>(exact);
  }
};

// Makes a graph that has the objects as vertices, and no edges. So arrays of objects are checked in
// the same way as arrays of vertices.
Given given_objects(const Space& space, const Communicator& communicator, const Nets& nets,
                    std::int64_t objects, const GraphCutOptions& options, const ByGraph& method) {
  exec::Array<std::int64_t> offsets, columns;
  std::optional<Graph> without_edges;
  const NetOptions& known = nets.options();
  vote(communicator, attempt(stage_name, [&] {
         offsets = exec::filled<std::int64_t>(space, nets_label, objects + 1, 0);
         columns = {space, nets_label, 0};
         without_edges = graph(offsets, columns,
                               {.count = objects,
                                .id = known.id,
                                .weight = known.weight,
                                .bytes = known.bytes,
                                .position = known.position,
                                .fixed = known.fixed});
       }));
  Given given = given_graph(space, communicator, *without_edges, options, method);
  // `offsets` and `columns` refer to local arrays, which are freed at the end of this function.
  given.rows.offsets = {};
  given.rows.columns = {};
  return given;
}

struct WritePinAddresses {
  const std::int64_t *pins, *firsts;
  int ranks;
  Address* addresses;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto rank = static_cast<int>(part_at(firsts, ranks, pins[i]));
    addresses[i] = address_of(rank, static_cast<std::int32_t>(pins[i] - firsts[rank]));
  }
};

void require_objects(const Space& space, const NetsHere& told, std::int64_t objects) {
  const std::int64_t bad =
      exec::first_that(space, told.pins.size(), exec::IsOutside{told.pins.data(), objects});
  if (bad == told.pins.size()) return;
  const std::string where = "Pin " + std::to_string(bad) + " of this rank is ";
  if (told.ids.empty()) {
    std::int64_t pin = 0;
    told.pins.fetch(bad, {&pin, 1});
    refuse(where + "object " + std::to_string(pin) + ", but there are " + std::to_string(objects) +
               " objects.",
           "Number the objects of all ranks from 0 on, rank after rank.");
  }
  std::uint64_t id = 0;
  told.ids.fetch(bad, {&id, 1});
  refuse(where + std::to_string(static_cast<std::int64_t>(id)) + ", an id that no object has.",
         "Give ids of objects as pins, of this rank or of others.");
}

}  // namespace

NetsGiven given_nets(const Space& space, const Communicator& communicator, const Nets& nets,
                     const GraphCutOptions& options, const ByGraph& method) {
  NetsHere told;
  NetSums mine = {};
  const Status ready = attempt(stage_name, [&] {
    if (!options.memory.empty())
      refuse("Memory is limited, but cut_nets has no limits.", "Leave out .memory.");
    told = read_told(space, nets);
    mine = sums_of(space, told, nets);
  });
  NetsGiven given;
  given.all = vote<&combine_sums>(communicator, ready, mine);
  if (given.all.has_weights != 0 && given.all.has_weights != given.all.ranks)
    throw Error(ErrorKind::disagreement, Where{stage_name},
                "Only some ranks give weights of their nets.",
                "Give them on all ranks that have nets.");
  given.objects = given_objects(space, communicator, nets, told.objects, options, method);
  const bool has_ids = given.objects.all.has(Says::ids);
  vote(communicator, attempt(stage_name, [&] {
         if (has_ids != nets.options().id.given() && mine.pins > 0)
           refuse("Only some ranks name objects by ids.", "Give ids on all ranks, or on no rank.");
       }));
  if (has_ids) told.pins = numbers_of(space, communicator, given.objects, told.ids);
  given.units_of_one = units_of_one(given.all);
  vote(communicator, attempt(stage_name, [&] {
         require_objects(space, told, given.objects.all.vertices);
         const exec::Reached<std::int64_t> firsts(space, nets_label, given.objects.firsts);
         given.pins = {space, nets_label, told.pins.size()};
         exec::for_each(space, nets_label, told.pins.size(),
                        WritePinAddresses{told.pins.data(), firsts.data(), communicator.size(),
                                          given.pins.data()});
         given.offsets = std::move(told.offsets);
         given.weights = {space, nets_label, given.offsets.size() - 1};
         exec::for_each(space, nets_label, given.weights.size(),
                        WriteUnits{told.weights.empty() ? nullptr : told.weights.data(),
                                   given.units_of_one, given.weights.data()});
         space.fence(nets_label);
       }));
  return given;
}

}  // namespace evenkeel::graphs
