// Domains that are the hexahedra of a mesh.
//
//   points    all objects, if they are few; otherwise a sample, which is a cut of the curve into
//             many parts of equal weight
//   start     rank 0 makes a triangular mesh, and moves its vertices until the hexahedra hold the
//             same number of points; with the axes in another order, if that fails
//   correct   all ranks sum up all objects; rank 0 moves the vertices, again and again
//
// A rebalance begins with the last vertices, and corrects them. All sums are integers, and the
// points do not depend on how objects are spread over ranks. So the domains are the same on any
// number of ranks and threads.

#include "domains/kuhn/on_space.hpp"
#include "domains/kuhn/shapes.hpp"
#include "domains/kuhn/start.hpp"
#include "domains/power/model.hpp"
#include "place/keeps.hpp"
#include "place/keyed.hpp"
#include "place/method.hpp"
#include "place/sample.hpp"

#include "cut/keep_in_place.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/domains/grid.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>

namespace evenkeel {

namespace {

constexpr const char* mesh_label = "evenkeel::place::mesh";

// --- Sums over objects ---------------------------------------------------------------------------

// Each index handles a short run of objects: neighbours are often in the same part, and then one
// atomic operation adds their units.
template <class Real, std::int64_t run>
struct SumUpMesh {
  HexahedronOfPlace hexahedron;
  Places<Real> places;
  const double* weights;  // null if all are the same
  Units units;
  std::int64_t* sums;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const Tetrahedron* const all = hexahedron.tetrahedron.tetrahedra;
    const std::int64_t begin = index * run;
    const std::int64_t end = places.count - begin < run ? places.count : begin + run;
    std::int64_t sum = 0;
    int part = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      std::int64_t cell[3];
      hexahedron.write_cell([&](int axis) { return places.at(i, axis); }, cell);
      const int number = hexahedron.tetrahedron(cell);
      const std::int64_t mine = weights == nullptr ? units.one() : units.of(weights[i]);
      if (all[number].part != part) {
        Kokkos::atomic_add(&sums[std::int64_t{part} * sums_per_part], sum);
        part = all[number].part;
        sum = 0;
      }
      sum += mine;
      for_each_share(all, number, cell, mine, [&](std::int64_t at, std::int64_t share) {
        Kokkos::atomic_add(&sums[at], share);
      });
    }
    Kokkos::atomic_add(&sums[std::int64_t{part} * sums_per_part], sum);
  }
};

std::vector<std::int64_t> sums_of_objects(const PlaceTask& task, const Lattice& lattice,
                                          const MeshCells& cells, const Units& units) {
  const Prepared& prepared = task.prepared;
  const ReachedMesh reached(prepared.space, mesh_label, cells);
  std::vector<std::int64_t> sums(cells.tetrahedra().size() / tetrahedra_per_part * sums_per_part);
  const exec::Array<std::int64_t> there(prepared.space, mesh_label,
                                        std::span<const std::int64_t>(sums));
  for (std::size_t s = 0; s < prepared.orders.size(); ++s)
    with_space(prepared.space, [&]<class Instance>(const Instance& instance) {
      with_places(prepared.set(s).position(), [&]<class Real>(const Places<Real>& places) {
        constexpr std::int64_t run = is_device<Instance> ? 8 : 4096;
        exec::for_each(instance, mesh_label, (places.count + run - 1) / run,
                       SumUpMesh<Real, run>{reached.finder(lattice), places,
                                            weights_of(task, s, units), units, there.data()});
      });
    });
  there.fetch(0, sums);
  return sums;
}

// Adds a share to a sum, on the host. A functor, since nvcc refuses lambdas of the host here.
struct AddShare {
  std::int64_t* sums;
  KOKKOS_FUNCTION void operator()(std::int64_t at, std::int64_t share) const { sums[at] += share; }
};

std::vector<std::int64_t> sums_of_points(std::span<const MeshPoint> points,
                                         const MeshCells& cells) {
  const TetrahedronOfCell find = cells.finder();
  std::vector<std::int64_t> sums(cells.tetrahedra().size() / tetrahedra_per_part * sums_per_part);
  for (const MeshPoint& point : points) {
    const std::int64_t cell[3] = {point.cell[0], point.cell[1], point.cell[2]};
    const int number = find(cell);
    sums[static_cast<std::size_t>(number / tetrahedra_per_part) * sums_per_part] += point.units;
    for_each_share(cells.tetrahedra().data(), number, cell, point.units, AddShare{sums.data()});
  }
  return sums;
}

// --- The search ----------------------------------------------------------------------------------

// The number of cells of an upper face. If the box is so flat that there is little room for
// vertices, the mesh extends beyond it.
std::int32_t upper_face(double last, std::int32_t extent) {
  constexpr std::int32_t room = 64;  // for each domain
  const bool is_flat = extent > 1 && last + 1 < static_cast<double>(extent) * room;
  return is_flat ? 1 << mesh_levels : static_cast<std::int32_t>(last) + 1;
}

MeshFrame frame_for(const PlaceTask& task, const Lattice& lattice) {
  const Region& region = task.prepared.region;
  const PlaceOptions& options = task.prepared.options;
  if (region.dimensions != 2 && region.dimensions != 3)
    refuse("A mesh in " + std::to_string(region.dimensions) + " dimensions was asked for.",
           "Use 2 or 3 dimensions.");
  MeshFrame frame;
  frame.shape =
      shape_with(std::get<Mesh>(options.method).grid, task.parts(), region.dimensions, region.box);
  const std::array<double, 3> last = last_cell_of(lattice);
  for (int axis = 0; axis < region.dimensions; ++axis) {
    const auto d = static_cast<std::size_t>(axis);
    const std::int32_t extent = frame.shape.extents[d];
    frame.periodic[d] = options.periodic[d];
    frame.upper[d] = upper_face(last[d], extent);
    constexpr double quarter = 0.25;
    const double least =
        std::ceil(options.least_width[d] * quarter * lattice.cells_per_length(axis));
    if (least * extent > frame.upper[d] || extent > frame.upper[d])
      refuse("There is no room for " + std::to_string(extent) + " domains of width " +
                 text_of(options.least_width[d]) + " along " + "xyz"[d] + '.',
             "Choose a smaller least_width, or fewer domains along this axis.");
    frame.least_width[d] = static_cast<std::int32_t>(least);
  }
  return frame;
}

class MeshSearch {
 public:
  explicit MeshSearch(const PlaceTask& task)
      : task_(task),
        communicator_(task.communicator),
        parts_(static_cast<std::size_t>(task.parts())) {}

  // Collective.
  Found run(Status status) {
    Census mine;
    Keyed keyed;
    const Prepared& prepared = task_.prepared;
    const Status ready = attempt(stage_name, [&] {
      if (!status.ok()) throw Error(*status.error());
      const Region& region = prepared.region;
      lattice_ = mesh_lattice(region.dimensions, region.box, prepared.options.periodic);
      frame_ = frame_for(task_, lattice_);
      set_speeds();
      keyed = Keyed(prepared, task_.weights);
      mine = census_of_weights(keyed.sets);
      vertices_.resize(static_cast<std::size_t>(MeshVertices::grid_of(frame_.shape).parts()));
      last_ = best_ = start_ = vertices_;
      sums_.resize(parts_ * sums_per_part);
      units_of_parts_.resize(parts_);
      weights_.resize(parts_);
    });
    const Census all = vote<&combine>(communicator_, ready, mine);
    units_ = Units(all);
    double last_lambda = std::numeric_limits<double>::infinity();
    if (const MeshDomains* const domains = earlier()) {
      last_lambda = correct(domains->vertices());
      std::ranges::copy(vertices_, last_.begin());
    }
    if (last_lambda > good_lambda) {
      find_start(keyed, all);
      const bool is_better = correct(best_) < last_lambda;
      if (!is_better && earlier() != nullptr) std::ranges::copy(last_, vertices_.begin());
    }
    return found(all);
  }

 private:
  static constexpr double good_lambda = 1.05;

  bool is_root() const { return communicator_.rank() == 0; }

  // Hexahedra keep the ranks of the last domains.
  bool keeps_ranks() const {
    return task_.fresh == nullptr && task_.prepared.options.rank_of_part.empty() &&
           earlier() != nullptr;
  }
  void set_speeds() {
    if (keeps_ranks())
      speeds_ = speeds_of_parts(task_.speeds(), rank_of_part(task_.last));
    else if (task_.fresh == nullptr)
      speeds_ = speeds_of_parts(task_.speeds(), task_.prepared.options.rank_of_part);
    else
      speeds_ = speeds_of_parts(task_.speeds(), {});
    const double all = SpeedsBefore(speeds_).all();
    for (const double speed : speeds_) shares_.push_back(speed / all * static_cast<double>(parts_));
  }

  // The last domains, if the search can begin from them.
  const MeshDomains* earlier() const {
    const auto* const last = std::get_if<MeshDomains>(&task_.last);
    const bool fits = last != nullptr && last->shape() == frame_.shape &&
                      last->box() == task_.prepared.region.box &&
                      last->periodic() == task_.prepared.options.periodic &&
                      is_wide(last->vertices());
    return fits ? last : nullptr;
  }
  bool is_wide(std::span<const MeshVertex> vertices) const {
    const GridShape grid = MeshVertices::grid_of(frame_.shape);
    for (int vertex = 0; vertex < grid.parts(); ++vertex)
      for (std::size_t d = 0; d < 3; ++d) {
        GridPlace next = grid.at(vertex);
        if (++next[d] >= grid.extents[d] || frame_.least_width[d] == 0) continue;
        if (vertices[static_cast<std::size_t>(grid.part_at(next))][d] -
                vertices[static_cast<std::size_t>(vertex)][d] <
            frame_.least_width[d])
          return false;
      }
    return true;
  }

  // The decision of rank 0; other ranks leave it as it is.
  struct Turn {
    bool goes_on = false;
    static void join(Turn& into, const Turn& from) noexcept {
      into.goes_on = into.goes_on || from.goes_on;
    }
  };

  // Collective. Moves vertices, from those of `start` on rank 0, until the sums of all ranks are
  // even. Leaves the best vertices in vertices_, and returns their lambda. A rank that has failed
  // sums up anything, and the next vote takes its failure in.
  template <class Sums>
  double improved(std::span<const MeshVertex> start, const MeshGoal& goal, const Sums& sums_in) {
    std::optional<MeshSolver> solver;
    Status status = attempt(stage_name, [&] {
      if (!is_root()) return;
      solver.emplace(frame_, std::vector<MeshVertex>(start.begin(), start.end()), goal, shares_);
      vertices_ = solver->vertices();
    });
    for (Turn turn{.goes_on = true};;) {
      turn = vote<&Turn::join>(communicator_, status, turn);
      communicator_.broadcast(std::span(vertices_), 0);
      if (!turn.goes_on) break;
      status = attempt(stage_name, [&] {
        const MeshCells cells({frame_.shape, vertices_}, last_cell_of(lattice_));
        const std::vector<std::int64_t> mine = sums_in(cells);
        std::copy(mine.begin(), mine.end(), sums_.begin());
      });
      communicator_.all_reduce(std::span(sums_), Reduction::sum);
      turn = {};
      if (!status.ok() || !is_root()) continue;
      status = attempt(stage_name, [&] {
        turn.goes_on = solver->improve(sums_);
        vertices_ = solver->vertices();
      });
    }
    return communicator_.broadcast(is_root() ? solver->best_lambda() : 0, 0);
  }

  // Collective. By all objects.
  double correct(std::span<const MeshVertex> start) {
    constexpr double usual = 0.02, tight = 0.005;
    const double tolerance = task_.target_lambda() > 1 + 2 * usual ? usual : tight;
    return improved(start, {tolerance, 15, 3}, [&](const MeshCells& cells) {
      return sums_of_objects(task_, lattice_, cells, units_);
    });
  }

  // Collective. Leaves a mesh that is nearly even in best_.
  void find_start(const Keyed& keyed, const Census& all) {
    const std::vector<MeshPoint> points = points_of(keyed, all);
    double best_lambda = std::numeric_limits<double>::infinity();
    const auto take_if_better = [&](double lambda) {
      if (!(lambda < best_lambda)) return;
      best_lambda = lambda;
      std::ranges::copy(vertices_, best_.begin());
    };
    std::vector<KuhnPath> orders;
    vote(communicator_,
         attempt(stage_name, [&] { orders = orders_of_axes(frame_.shape.dimensions); }));
    for (const KuhnPath& axes : orders) {
      make_start(points, axes);
      take_if_better(improved_by(points));
      if (best_lambda <= good_lambda) return;
    }
    // A mesh that is even at first finds threads, if weight that is spread over the box holds it
    // together until it has come near.
    std::vector<MeshPoint> mixed = sampled(keyed, Census(), points_for(parts_) / 2);
    const std::size_t spread = mixed.size();
    double whole = 0;
    for (const MeshPoint& point : points) whole += static_cast<double>(point.units);
    vote(communicator_,
         attempt(stage_name, [&] { mixed.insert(mixed.end(), points.begin(), points.end()); }));
    make_start({}, kuhn_paths.front());
    for (const double share : {0.4, 0.1}) {
      const double each = whole * share / (1 - share) / static_cast<double>(spread);
      for (MeshPoint& point : std::span(mixed).first(spread))
        point.units = static_cast<std::int64_t>(each);
      improved_by(mixed);
      std::ranges::copy(vertices_, start_.begin());
    }
    take_if_better(improved_by(points));
  }

  // Collective. Makes a mesh in start_, on rank 0.
  void make_start(std::span<const MeshPoint> points, const KuhnPath& axes) {
    vote(communicator_, attempt(stage_name, [&] {
           if (is_root()) start_ = triangular_mesh(frame_, points, axes);
         }));
  }

  // Collective. From start_, by points that all ranks have; each adds up a share of them.
  double improved_by(std::span<const MeshPoint> points) {
    const auto size = static_cast<std::size_t>(communicator_.size());
    const auto rank = static_cast<std::size_t>(communicator_.rank());
    const std::size_t begin = points.size() * rank / size, end = points.size() * (rank + 1) / size;
    return improved(start_, {0.02, 60, 12}, [&](const MeshCells& cells) {
      return sums_of_points(points.subspan(begin, end - begin), cells);
    });
  }

  // Collective. Points of equal weight.
  std::vector<MeshPoint> sampled(const Keyed& keyed, const Census& all, std::size_t count) const {
    const std::vector<std::array<double, 3>> sample = sample_of(task_, keyed, all, count, lattice_);
    std::vector<MeshPoint> points;
    vote(communicator_, attempt(stage_name, [&] {
           for (const std::array<double, 3>& at : sample)
             points.push_back({{static_cast<std::int32_t>(at[0]), static_cast<std::int32_t>(at[1]),
                                static_cast<std::int32_t>(at[2])},
                               1 << 16});
         }));
    return points;
  }

  // Collective. The same points on all ranks.
  std::vector<MeshPoint> points_of(const Keyed& keyed, const Census& all) {
    const std::size_t most = points_for(parts_);
    if (all.objects == 0 || static_cast<std::size_t>(all.objects) > most)
      return sampled(keyed, all, most);
    std::vector<MeshPoint> points;
    std::vector<Item> items;
    const Status written = attempt(stage_name, [&] { items = items_of(task_, lattice_, units_); });
    const Gathered<Item> gathered = gather(communicator_, written, std::span<const Item>(items), 0);
    vote(communicator_, attempt(stage_name, [&] {
           points.resize(static_cast<std::size_t>(all.objects));
           for (std::size_t i = 0; i < gathered.values.size(); ++i) {
             const Item& item = gathered.values[i];
             for (std::size_t d = 0; d < 3; ++d)
               points[i].cell[d] = static_cast<std::int32_t>(item.cell[d]);
             points[i].units = item.units;
           }
         }));
    communicator_.broadcast(std::span(points), 0);
    return points;
  }

  // Collective.
  Found found(const Census& all) {
    Found found;
    Held held;
    const Status counted = attempt(stage_name, [&] {
      const MeshCells cells({frame_.shape, vertices_}, last_cell_of(lattice_));
      const ReachedMesh reached(task_.prepared.space, mesh_label, cells);
      held = held_in(task_, mesh_label, reached.finder(lattice_), parts_, units_);
      std::ranges::copy(held.units, units_of_parts_.begin());
    });
    vote(communicator_, counted);
    communicator_.all_reduce(std::span(units_of_parts_), Reduction::sum);
    for (std::size_t p = 0; p < parts_; ++p) weights_[p] = units_.weight_of(units_of_parts_[p]);
    require_finite_sum(weights_);  // the same on all ranks
    found.lambda = evenkeel::lambda_of(weights_, speeds_);
    const double sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    const double heaviest = units_.weightless() ? 1 : all.heaviest;
    if (sum > 0) found.heaviest = heaviest / sum * static_cast<double>(parts_);
    std::vector<int> ranks;
    const bool is_fresh = task_.fresh != nullptr;
    const bool is_named = !task_.prepared.options.rank_of_part.empty();
    if (!is_fresh && !is_named && !keeps_ranks())
      ranks = keep_in_place({communicator_}, held.objects, {.speeds = task_.speeds()});
    found.status = attempt(stage_name, [&] {
      if (!is_fresh && is_named)
        ranks = task_.prepared.options.rank_of_part;
      else if (keeps_ranks())
        ranks = rank_of_part(task_.last);
      found.domains =
          MeshDomains(task_.generation(), frame_.shape, task_.prepared.region.box,
                      task_.prepared.options.periodic, std::move(vertices_), std::move(ranks));
    });
    return found;
  }

  const PlaceTask& task_;
  const Communicator& communicator_;
  std::size_t parts_;
  Lattice lattice_;
  MeshFrame frame_;
  std::vector<double> speeds_,
      shares_;  // of parts, and relative to the mean; empty if all are equal
  Units units_;
  std::vector<MeshVertex> vertices_;  // the same on all ranks
  // The vertices of the last domains, the best start, and the start of a search, which only rank 0
  // has. All lists have the size of vertices_, so that copies need no memory.
  std::vector<MeshVertex> last_, best_, start_;
  std::vector<std::int64_t> sums_;            // of all ranks
  std::vector<std::int64_t> units_of_parts_;  // of all ranks
  std::vector<double> weights_;               // of the parts
};

}  // namespace

Found find_mesh(const PlaceTask& task) {
  Found found;
  Status status = task.status;
  if (keeps<MeshDomains>(task, status, found)) return found;
  return MeshSearch(task).run(std::move(status));
}

}  // namespace evenkeel
