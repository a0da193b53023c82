#include "placement.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/sort.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/cut.hpp>
#include <evenkeel/core/grid/cut.hpp>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "monitor/balancer";

Space space_of(const Set& set) { return Space::where(set.position().memory); }

CurveOptions curve_of(const Method& method) {
  if (std::holds_alternative<Morton>(method)) return {CurveKind::morton};
  if (std::holds_alternative<Snake>(method)) return {CurveKind::snake};
  return {CurveKind::hilbert};
}

bool is_curve(const Method& method) {
  return std::holds_alternative<Hilbert>(method) || std::holds_alternative<Morton>(method) ||
         std::holds_alternative<Snake>(method);
}

// What each part has; where nothing weighs anything, objects count.
class PartLoads {
 public:
  explicit PartLoads(int parts) : sums_(2 * static_cast<std::size_t>(parts)) {}

  void add(int part, double weight) {
    sums_[2 * static_cast<std::size_t>(part)] += weight;
    sums_[2 * static_cast<std::size_t>(part) + 1] += 1;
  }

  // Collective. Greatest / average, the same on all ranks to the last bit.
  double lambda(const Communicator& communicator) {
    communicator.all_reduce(std::span<double>(sums_), Reduction::sum);
    communicator.broadcast(std::span<double>(sums_), 0);
    const double by_weight = lambda_of(0);
    return by_weight > 0 ? by_weight : std::max(1.0, lambda_of(1));
  }

 private:
  // Of weights or counts; 0 where there are none.
  double lambda_of(std::size_t first) const {
    double sum = 0, most = 0;
    for (std::size_t i = first; i < sums_.size(); i += 2) {
      sum += sums_[i];
      most = std::max(most, sums_[i]);
    }
    const std::size_t parts = sums_.size() / 2;
    return sum > 0 ? most * static_cast<double>(parts) / sum : 0;
  }

  std::vector<double> sums_;  // of a part: weight, objects
};

double weight_of(const Placing& placing, std::size_t set, std::size_t object) {
  return placing.weights[set].empty() ? 1 : placing.weights[set][object];
}

// --- Along a curve -------------------------------------------------------------------------------

// The keys of sets with the weights of their objects, in the same order.
struct Sorted {
  std::vector<std::vector<double>> weights;
  std::vector<WeightedKeys> keyed;
};

void join(std::span<const Order> orders, std::span<const std::vector<double>> weights,
          Sorted& into) {
  into.weights.resize(orders.size());
  for (std::size_t s = 0; s < orders.size(); ++s) {
    if (!weights[s].empty()) {
      into.weights[s].reserve(orders[s].objects.size());
      for (const std::int64_t i : orders[s].objects)
        into.weights[s].push_back(weights[s][static_cast<std::size_t>(i)]);
    }
    into.keyed.push_back({orders[s].keys, into.weights[s]});
  }
}

// --- In boxes ------------------------------------------------------------------------------------

// The part of each object, on the host.
std::vector<int> parts_in(const Domains& domains, const Set& set) {
  const Space space = space_of(set);
  std::vector<int> parts(static_cast<std::size_t>(set.count()));
  const auto bytes = static_cast<std::int64_t>(parts.size() * sizeof(int));
  const bool here = space.can_access(MemoryKind::host);
  const Buffer there("evenkeel::balancer::parts", set.position().memory, here ? 0 : bytes);
  int* const written = here ? parts.data() : reinterpret_cast<int*>(there.data());
  if (const auto* grid = std::get_if<GridDecomposition>(&domains))
    write_parts(space, *grid, set, written);
  else
    write_parts(space, std::get<BoxTree>(domains), set, written);
  if (!here) {
    copy_bytes(space, parts.data(), MemoryKind::host, written, there.kind(), bytes);
    space.fence("evenkeel::balancer::parts");
  }
  return parts;
}

// Weights where the positions are.
struct Points {
  std::vector<Buffer> copies;
  std::vector<WeightedPoints> sets;

  explicit Points(const Placing& placing) {
    for (std::size_t s = 0; s < placing.sets.size(); ++s) {
      const Set& set = placing.sets[s];
      std::span<const double> weights = placing.weights[s];
      const Space space = space_of(set);
      if (!space.can_access(MemoryKind::host) && !weights.empty()) {
        const auto bytes = static_cast<std::int64_t>(weights.size_bytes());
        Buffer& copy =
            copies.emplace_back("evenkeel::balancer::weights", set.position().memory, bytes);
        copy_bytes(space, copy.data(), copy.kind(), weights.data(), MemoryKind::host, bytes);
        space.fence("evenkeel::balancer::weights");
        weights = {reinterpret_cast<const double*>(copy.data()), weights.size()};
      }
      sets.push_back({set.position(), weights});
    }
  }
};

GridShape shape_of(const std::array<int, 3>& grid, const Placing& placing, int ranks) {
  std::array<double, 3> sides = {};
  for (std::size_t axis = 0; axis < 3; ++axis)
    sides[axis] = placing.box.upper[axis] - placing.box.lower[axis];
  if (grid == std::array<int, 3>{}) return factored(ranks, placing.dimensions, sides);
  GridShape shape{placing.dimensions, {1, 1, 1}};
  for (std::size_t axis = 0; axis < 3; ++axis) shape.extents[axis] = std::max(1, grid[axis]);
  check(shape);
  if (shape.parts() != ranks)
    throw Error(ErrorKind::bad_input, Where{stage_name},
                "A grid of " + std::to_string(shape.parts()) + " domains was asked for, on " +
                    std::to_string(ranks) + " ranks.",
                "Ask for as many domains as ranks, or for none in particular.");
  return shape;
}

bool same_boxes(const Domains& a, const Domains& b) {
  if (a.index() != b.index() || !(box_of(a) == box_of(b))) return false;
  if (const auto* tree = std::get_if<BoxTree>(&a))
    return tree->nodes() == std::get<BoxTree>(b).nodes();
  const auto& grid = std::get<GridDecomposition>(a);
  const auto& other = std::get<GridDecomposition>(b);
  return grid.shape() == other.shape() && grid.borders() == other.borders();
}

// Keys that rise with the part, and within a part along the curve: neighbours in memory are then
// neighbours in space.
int bits_below_part(int parts) {
  return 62 - static_cast<int>(std::bit_width(static_cast<unsigned>(parts)));
}

Order order_by_part(const Set& set, const Lattice& lattice, std::span<const int> parts,
                    int all_parts) {
  Order sorted = order(space_of(set), lattice, set);
  const int below = bits_below_part(all_parts);
  const int dropped = std::max(0, curve_bits(lattice.dimensions()) - below);
  std::vector<std::uint64_t> keys(sorted.keys.size()), objects(sorted.keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::int64_t object = sorted.objects[i];
    objects[i] = static_cast<std::uint64_t>(object);
    keys[i] = static_cast<std::uint64_t>(parts[static_cast<std::size_t>(object)]) << below |
              sorted.keys[i].value >> dropped;
  }
  exec::sort_pairs(Space::where(MemoryKind::host), keys.data(), objects.data(), std::ssize(keys));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    sorted.keys[i] = {keys[i]};
    sorted.objects[i] = static_cast<std::int64_t>(objects[i]);
  }
  return sorted;
}

}  // namespace

Domains renumbered(const Domains& domains, std::int64_t generation) {
  if (const auto* curve = std::get_if<Decomposition>(&domains))
    return Decomposition(generation, curve->dimensions(), curve->box(), curve->periodic(),
                         curve->splitters(), curve->curve(), curve->rank_of_part());
  if (const auto* tree = std::get_if<BoxTree>(&domains))
    return BoxTree(generation, tree->dimensions(), tree->box(), tree->periodic(), tree->nodes());
  const auto& grid = std::get<GridDecomposition>(domains);
  return GridDecomposition(generation, grid.shape(), grid.box(), grid.periodic(), grid.borders());
}

Placed Placer::place(const Status& status, const Placing& placing) const {
  return is_curve(options_.method) ? on_curve(status, placing) : in_boxes(status, placing);
}

Domains Placer::cut_alone(const Status& status, const Placing& placing,
                          std::int64_t objects) const {
  if (!is_curve(options_.method)) return cut_boxes(status, placing);
  const CurveOptions curve = curve_of(options_.method);
  std::vector<std::vector<CurveKey>> keys;
  std::vector<WeightedKeys> keyed;
  const Status ready = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    const Lattice lattice(placing.dimensions, placing.box, options_.periodic, curve.kind,
                          curve.levels);
    for (std::size_t s = 0; s < placing.sets.size(); ++s) {
      const Set& set = placing.sets[s];
      auto& mine = keys.emplace_back(static_cast<std::size_t>(set.count()));
      write_keys(space_of(set), lattice, set, mine.data());
      space_of(set).fence("evenkeel::balancer::keys");
      keyed.push_back({mine, placing.weights[s]});
    }
  });
  CutOptions cutting;
  cutting.parts = communicator_.size();
  cutting.dimensions = placing.dimensions;
  cutting.most_objects = objects;
  const Cut parts = cut(communicator_, ready, keyed, cutting);
  return Decomposition(generation_of(last_), placing.dimensions, placing.box, options_.periodic,
                       parts.splitters, curve);
}

Placed Placer::on_curve(const Status& status, const Placing& placing) const {
  const CurveOptions curve = curve_of(options_.method);
  Placed found;
  Sorted sorted;
  const Status ordered = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    const Lattice lattice(placing.dimensions, placing.box, options_.periodic, curve.kind,
                          curve.levels);
    for (const Set& set : placing.sets) found.orders.push_back(order(space_of(set), lattice, set));
  });
  if (placing.bound)
    found.bonds = hold_together(communicator_, ordered, placing.sets, found.orders);
  const Status joined = attempt(stage_name, [&] {
    if (!ordered.ok()) throw Error(*ordered.error());
    join(found.orders, placing.weights, sorted);
  });
  placing.lap("order");
  CutOptions cutting;
  cutting.parts = communicator_.size();
  cutting.dimensions = placing.dimensions;
  cutting.target_lambda = options_.target_lambda;
  const auto* last = std::get_if<Decomposition>(&last_);
  if (last != nullptr && last->parts() == cutting.parts && last->box() == placing.box)
    cutting.kept = last->splitters();
  const Cut parts = cut(communicator_, joined, sorted.keyed, cutting);
  std::vector<int> ranks = last != nullptr ? last->rank_of_part() : std::vector<int>();
  if (!parts.kept) ranks = keep_in_place(communicator_, Status(), sorted.keyed, parts.splitters);
  placing.lap("cut");
  found.splitters = parts.splitters;
  found.lambda = parts.lambda();
  const Decomposition next(generation_of(last_) + 1, placing.dimensions, placing.box,
                           options_.periodic, parts.splitters, curve, std::move(ranks));
  found.changed = last == nullptr || last->splitters() != next.splitters() ||
                  last->rank_of_part() != next.rank_of_part() || !(last->box() == placing.box);
  found.domains = next;
  return found;
}

// Collective. The parts of all objects when the boxes that there are divide them evenly enough.
std::optional<PartsOfSets> Placer::kept_parts(const Status& status, const Placing& placing) const {
  const bool fit = !std::holds_alternative<Decomposition>(last_) &&
                   parts_of(last_) == communicator_.size() && box_of(last_) == placing.box &&
                   options_.target_lambda > 0;
  PartLoads loads(communicator_.size());
  PartsOfSets all;
  const Status counted = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    for (std::size_t s = 0; fit && s < placing.sets.size(); ++s) {
      const std::vector<int>& parts = all.emplace_back(parts_in(last_, placing.sets[s]));
      for (std::size_t i = 0; i < parts.size(); ++i) loads.add(parts[i], weight_of(placing, s, i));
    }
  });
  vote(communicator_, counted);
  if (!fit || loads.lambda(communicator_) > options_.target_lambda) return std::nullopt;
  return all;
}

Domains Placer::cut_boxes(const Status& status, const Placing& placing) const {
  const std::int64_t generation = generation_of(last_) + 1;
  std::optional<Points> points;
  GridCutOptions grid;
  const Status prepared = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    points.emplace(placing);
    grid.box = placing.box;
    grid.periodic = options_.periodic;
    grid.target_lambda = options_.target_lambda;
    grid.least_width = options_.least_width;
    grid.cell_size = options_.cell_size;
    if (const auto* tensor = std::get_if<Tensor>(&options_.method)) {
      grid.scheme = GridScheme::tensor;
      grid.shape = shape_of(tensor->grid, placing, communicator_.size());
    } else if (const auto* staggered = std::get_if<Staggered>(&options_.method)) {
      grid.shape = shape_of(staggered->grid, placing, communicator_.size());
    }
  });
  const auto sets =
      points ? std::span<const WeightedPoints>(points->sets) : std::span<const WeightedPoints>();
  if (std::holds_alternative<RecursiveBisection>(options_.method)) {
    BisectionOptions bisection;
    static_cast<BoxCutOptions&>(bisection) = grid;
    bisection.parts = communicator_.size();
    bisection.dimensions = placing.dimensions;
    const auto* last = std::get_if<BoxTree>(&last_);
    if (last != nullptr && last->box() == placing.box) bisection.earlier = last;
    BisectionCut cut = bisect(communicator_, prepared, sets, bisection);
    return BoxTree(generation, placing.dimensions, placing.box, options_.periodic,
                   std::move(cut.nodes));
  }
  GridCut cut = cut_grid(communicator_, prepared, sets, grid);
  return GridDecomposition(generation, grid.shape, placing.box, options_.periodic,
                           std::move(cut.borders));
}

Placed Placer::in_boxes(const Status& status, const Placing& placing) const {
  Placed found;
  std::optional<PartsOfSets> parts_of_sets = kept_parts(status, placing);
  found.domains =
      parts_of_sets ? renumbered(last_, generation_of(last_) + 1) : cut_boxes(Status(), placing);
  found.changed = !same_boxes(found.domains, last_);
  placing.lap("cut");
  const int parts = parts_of(found.domains);
  const int below = bits_below_part(parts);
  PartLoads loads(parts);
  const Status ordered = attempt(stage_name, [&] {
    const Lattice lattice(placing.dimensions, placing.box, options_.periodic);
    for (int part = 0; part <= parts; ++part)
      found.splitters.push_back({static_cast<std::uint64_t>(part) << below});
    if (!parts_of_sets) {
      parts_of_sets.emplace();
      for (const Set& set : placing.sets) parts_of_sets->push_back(parts_in(found.domains, set));
    }
    for (std::size_t s = 0; s < placing.sets.size(); ++s)
      found.orders.push_back(order_by_part(placing.sets[s], lattice, (*parts_of_sets)[s], parts));
  });
  if (placing.bound)
    found.bonds = hold_together(communicator_, ordered, placing.sets, found.orders);
  const Status counted = attempt(stage_name, [&] {
    if (!ordered.ok()) throw Error(*ordered.error());
    for (std::size_t s = 0; s < placing.sets.size(); ++s) {
      const Order& sorted = found.orders[s];
      for (std::size_t i = 0; i < sorted.keys.size(); ++i)
        loads.add(static_cast<int>(sorted.keys[i].value >> below),
                  weight_of(placing, s, static_cast<std::size_t>(sorted.objects[i])));
    }
  });
  vote(communicator_, counted);
  found.lambda = loads.lambda(communicator_);
  placing.lap("order");
  return found;
}

}  // namespace evenkeel
