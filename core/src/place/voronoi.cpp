// Domains that are cells of a power diagram.
//
//   model     all objects, if they are few; otherwise a sample, which is a cut of the curve into
//             many parts of equal weight
//   solve     rank 0 finds a diagram for the model; all ranks sum up the masses of a sample
//   correct   all ranks weigh the cells by all objects; rank 0 corrects the weights of the sites by
//             the model; again, until all cells weigh the same
//
// Masses are sums of integers, and the model does not depend on how objects are spread over ranks.
// So the domains are the same on any number of ranks and threads.

#include "domains/power/measure.hpp"
#include "domains/power/on_space.hpp"
#include "place/keeps.hpp"
#include "place/keyed.hpp"
#include "place/method.hpp"
#include "place/sample.hpp"

#include "cut/keep_in_place.hpp"

#include <evenkeel/backends/comm/ballot.hpp>

#include <algorithm>
#include <numeric>
#include <optional>

namespace evenkeel {

namespace {

constexpr const char* cells_label = "evenkeel::place::cells";

// --- The model -----------------------------------------------------------------------------------

PowerModel model_of(std::vector<Item> items, const Lattice& lattice) {
  PowerModel model(lattice);
  std::sort(items.begin(), items.end());
  for (const Item& item : items)
    if (item.units > 0)
      model.add({static_cast<double>(item.cell[0]), static_cast<double>(item.cell[1]),
                 static_cast<double>(item.cell[2])},
                static_cast<double>(item.units));
  model.finish();
  return model;
}

// Points of equal mass.
PowerModel model_of(std::span<const std::array<double, 3>> places, const Lattice& lattice) {
  PowerModel model(lattice);
  for (const std::array<double, 3>& at : places) model.add(at, 1);
  model.finish();
  return model;
}

// --- The search ----------------------------------------------------------------------------------

// Rank 0 asks all ranks for sums over a model that each of them has.
class SharedSums {
 public:
  SharedSums(const Communicator& communicator, const PowerModel& model, std::size_t parts)
      : communicator_(communicator), model_(model), sites_(parts) {}

  // For rank 0. If a rank fails, all ranks throw the same Error, and the others stop serving.
  std::vector<PowerSum> of(std::span<const PowerSite> sites, double slab) {
    std::copy(sites.begin(), sites.end(), sites_.begin());
    communicator_.broadcast(slab, 0);
    communicator_.broadcast(std::span(sites_), 0);
    are_serving_ = false;
    std::vector<PowerSum> sums = gathered(slab);
    are_serving_ = true;
    return sums;
  }
  // For rank 0: the others stop serving. They begin again with the next call of serve().
  void end() {
    if (std::exchange(are_serving_, true)) communicator_.broadcast(no_more, 0);
  }
  // For other ranks.
  void serve() {
    for (double slab = 0; (slab = communicator_.broadcast(slab, 0)) != no_more;) {
      communicator_.broadcast(std::span(sites_), 0);
      gathered(slab);
    }
  }

 private:
  static constexpr double no_more = -1;

  std::vector<PowerSum> gathered(double slab) {
    std::vector<PowerSum> mine;
    const Status status = attempt(stage_name, [&] {
      mine = sums_of(model_, sites_, slab, static_cast<std::size_t>(communicator_.rank()),
                     static_cast<std::size_t>(communicator_.size()));
    });
    return gather(communicator_, status, std::span<const PowerSum>(mine), 0).values;
  }

  const Communicator& communicator_;
  const PowerModel& model_;
  std::vector<PowerSite> sites_;
  bool are_serving_ = true;
};

// Corrects a diagram round by round, on rank 0.
class Correction {
 public:
  Correction(const PowerModel& model, PowerDiagram diagram, double tolerance, int most_rounds)
      : model_(model),
        now_(std::move(diagram)),
        tolerance_(tolerance),
        rounds_left_(most_rounds),
        best_(now_.sites),
        gains_(best_.size()) {
    for (const double share : now_.shares) cells_.push_back({share, share, 1});
  }

  // Takes in the units of the cells of the present sites. Returns true, and sets other sites, if
  // these are to be weighed. Otherwise the present sites are the best ones.
  bool improve(std::span<const std::int64_t> units) {
    const double whole = std::accumulate(units.begin(), units.end(), 0.0);
    const bool is_better = take_if_better(units, whole);
    if (!is_better) {
      if (holds_back_) length_ /= 2;
      ++idle_rounds_;
    }
    if (idle_rounds_ > 0) holds_back_ = !holds_back_;
    constexpr int most_idle = 5;
    const bool ends = best_greatest_ <= 1 + tolerance_ || idle_rounds_ >= most_idle ||
                      rounds_left_ == 0 || !(whole > 0);
    --rounds_left_;
    now_.sites = best_;
    if (ends && is_better) return false;
    if (ends) {  // the best sites were weighed before
      rounds_left_ = 0;
      best_greatest_ = std::numeric_limits<double>::infinity();
      return true;
    }
    length_ = correct(model_, now_, gains_, length_, holds_back_);
    return true;
  }

  const std::vector<PowerSite>& sites() const noexcept { return now_.sites; }
  bool is_new() const noexcept { return now_.is_new; }

 private:
  bool take_if_better(std::span<const std::int64_t> units, double whole) {
    double greatest = 0;
    for (std::size_t p = 0; p < units.size(); ++p)
      greatest = std::max(greatest, static_cast<double>(units[p]) / (now_.shares[p] * whole));
    const bool is_better = greatest < best_greatest_;
    for (std::size_t p = 0; p < units.size(); ++p)
      learn(p, static_cast<double>(units[p]) / whole, is_better);
    if (!is_better) return false;
    idle_rounds_ = greatest - 1 < 0.8 * (best_greatest_ - 1) ? 0 : idle_rounds_ + 1;
    best_greatest_ = greatest;
    best_ = now_.sites;
    length_ = 1;
    return true;
  }

  // Takes in what a cell holds of the whole. A cell gains more or less than the model predicts: the
  // next step asks for as much less or more.
  void learn(std::size_t cell, double held, bool is_better) {
    constexpr double clear = 0.005;  // of the share: a smaller gain says nothing
    Cell& now = cells_[cell];
    const double predicted = length_ * gains_[cell];
    if (std::abs(now.share - now.held) > clear * now.share && predicted != 0 && !holds_back_) {
      const double answer = (held - now.held) / predicted;
      now.answer = answer > 0 ? std::clamp(answer, 0.5, 8.0) : 1;
    }
    if (is_better) now.held = held;
    gains_[cell] = (now.share - now.held) / now.answer;
  }

  const PowerModel& model_;
  PowerDiagram now_;
  double tolerance_;
  int rounds_left_, idle_rounds_ = 0;
  bool holds_back_ = false;
  double length_ = 1, best_greatest_ = std::numeric_limits<double>::infinity();
  std::vector<PowerSite> best_;
  struct Cell {
    double share, held;  // wanted, and with the best sites, of the whole
    double answer;       // its gain over the predicted gain
  };
  std::vector<Cell> cells_;
  std::vector<double> gains_;  // to ask for
};

// The objects of a set in host memory. Most blocks of them are in one cell, and need one look.
class ObjectsInBlocks {
 public:
  explicit ObjectsInBlocks(exec::Array<Item> items)
      : items_(std::move(items)),
        blocks_(
            static_cast<std::size_t>(items_.size()), [this](std::size_t i) -> const auto& {
              return items_.data()[i].cell;
            }) {
    constexpr auto together = static_cast<std::int64_t>(PowerBlocks::together);
    before_.resize(static_cast<std::size_t>((items_.size() + together - 1) / together) + 1);
    exec::for_each_on_host(cells_label, std::ssize(before_) - 1, [&](std::int64_t block) {
      std::int64_t& sum = before_[static_cast<std::size_t>(block) + 1];
      const std::int64_t end = std::min(items_.size(), (block + 1) * together);
      for (std::int64_t i = block * together; i < end; ++i) sum += items_.data()[i].units;
    });
    std::partial_sum(before_.begin(), before_.end(), before_.begin());
  }

  void add_to(Held& held, std::span<const PowerRival> rivals) const {
    const auto threads = static_cast<std::size_t>(exec::host_threads());
    std::vector<Held> of_thread(threads, Held{held.units.size()});
    std::vector<Status> status(threads);
    exec::for_each_on_host(cells_label, std::ssize(of_thread), [&](std::int64_t thread) {
      const auto t = static_cast<std::size_t>(thread);
      status[t] = attempt(stage_name, [&] { add_share(of_thread[t], rivals, t, threads); });
    });
    for (std::size_t t = 0; t < threads; ++t) {
      if (!status[t].ok()) throw Error(*status[t].error());
      for (std::size_t part = 0; part < held.units.size(); ++part) {
        held.units[part] += of_thread[t].units[part];
        held.objects[part] += of_thread[t].objects[part];
      }
    }
  }

 private:
  void add_share(Held& held, std::span<const PowerRival> rivals, std::size_t share,
                 std::size_t shares) const {
    const auto add = [&](int rival, std::int64_t units, std::size_t objects) {
      const auto part = static_cast<std::size_t>(rivals[static_cast<std::size_t>(rival)].part);
      held.units[part] += units;
      held.objects[part] += static_cast<std::int64_t>(objects);
    };
    const auto add_block = [&](std::size_t begin, std::size_t end, const std::vector<int>& near) {
      constexpr std::size_t together = PowerBlocks::together;
      if (near.size() == 1)
        return add(near.front(),
                   before_[(end + together - 1) / together] - before_[begin / together],
                   end - begin);
      for (std::size_t i = begin; i < end; ++i)
        add(owner(rivals, near, items_.data()[i].cell), items_.data()[i].units, 1);
    };
    blocks_.visit(rivals, 0, share, shares, add_block);
  }
  static int owner(std::span<const PowerRival> rivals, const std::vector<int>& near,
                   const std::array<std::uint32_t, 3>& cell) {
    const double place[3] = {double(cell[0]), double(cell[1]), double(cell[2])};
    return *std::ranges::min_element(
        near, {}, [&](int rival) { return rivals[static_cast<std::size_t>(rival)].cost(place); });
  }

  exec::Array<Item> items_;
  PowerBlocks blocks_;
  std::vector<std::int64_t> before_;  // the units before each block of the lowest level
};

class CellSearch {
 public:
  explicit CellSearch(const PlaceTask& task)
      : task_(task),
        communicator_(task.communicator),
        parts_(static_cast<std::size_t>(task.parts())) {}

  // Collective.
  Found run(Status status) {
    Census mine;
    Keyed keyed;
    const Prepared& prepared = task_.prepared;
    Status ready = attempt(stage_name, [&] {
      if (!status.ok()) throw Error(*status.error());
      const Region& region = prepared.region;
      lattice_ = power_lattice(region.dimensions, region.box, prepared.options.periodic);
      keyed = Keyed(prepared, task_.weights);
      mine = census_of_weights(keyed.sets);
      plan_owners();
      sites_.resize(parts_);
      sums_.resize(parts_);
      weights_.resize(parts_);
    });
    const Census all = vote<&combine>(communicator_, ready, mine);
    units_ = Units(all);
    const auto objects = static_cast<std::size_t>(all.objects);
    const bool is_whole = objects <= points_for(parts_);
    if (is_whole && objects > 0)
      gather_all();
    else
      take_sample(keyed, all);
    vote(communicator_, led(Status(), [&] {
           constexpr int most_rounds = 10;
           PowerDiagram diagram = diagram_for(*model_, is_whole);
           if (is_whole && objects > 0) settle(*model_, diagram, 1 + tolerance());
           correction_.emplace(*model_, std::move(diagram), tolerance(),
                               is_whole ? 0 : most_rounds);
         }));
    weigh();
    return found(all);
  }

 private:
  bool is_root() const { return communicator_.rank() == 0; }

  // Sets the ranks of a new diagram's cells, in ascending order of their speeds unless their
  // numbers count, and the speeds of these cells and of the last ones.
  void plan_owners() {
    const PlaceOptions& options = task_.prepared.options;
    const std::span<const double> speeds = task_.speeds();
    if (task_.fresh == nullptr) ranks_ = options.rank_of_part;
    if (task_.fresh == nullptr && ranks_.empty() && !speeds.empty()) {
      ranks_.resize(parts_);
      std::iota(ranks_.begin(), ranks_.end(), 0);
      std::ranges::stable_sort(ranks_, {},
                               [&](int rank) { return speeds[static_cast<std::size_t>(rank)]; });
    }
    const bool are_named = task_.fresh != nullptr || !options.rank_of_part.empty();
    new_speeds_ = speeds_of_parts(speeds, ranks_);
    last_speeds_ = are_named || earlier() == nullptr
                       ? new_speeds_
                       : speeds_of_parts(speeds, rank_of_part(task_.last));
    if (!speeds.empty()) return;
    new_speeds_.assign(parts_, 1.0);
    last_speeds_ = new_speeds_;
  }

  // Collective. The model of rank 0 has all objects.
  void gather_all() {
    std::vector<Item> items;
    const Status written = attempt(stage_name, [&] { items = items_of(task_, lattice_, units_); });
    const Gathered<Item> all = gather(communicator_, written, std::span<const Item>(items), 0);
    vote(communicator_, attempt(stage_name, [&] {
           if (is_root()) model_.emplace(model_of(all.values, lattice_));
         }));
  }

  // The masses in the cells of the present sites.
  Held held() {
    const Prepared& prepared = task_.prepared;
    if (exec::memory_of(prepared.space) == MemoryKind::host) {
      for (std::size_t s = in_blocks_.size(); s < prepared.orders.size(); ++s)
        in_blocks_.emplace_back(items_of(task_, s, lattice_, units_));
      const std::vector<PowerRival> rivals = rivals_of(lattice_, sites_);
      Held held(parts_);
      for (const ObjectsInBlocks& objects : in_blocks_) objects.add_to(held, rivals);
      return held;
    }
    const PowerCells cells(lattice_, sites_);
    const ReachedCells reached(task_.prepared.space, cells_label, cells);
    return held_in(task_, cells_label, reached.finder(lattice_), parts_, units_);
  }

  // Collective. The model of all ranks is a sample of the objects, or of the box without objects.
  void take_sample(const Keyed& keyed, const Census& all) {
    const std::vector<std::array<double, 3>> sample =
        sample_of(task_, keyed, all, points_for(parts_), lattice_);
    vote(communicator_, attempt(stage_name, [&] {
           model_.emplace(model_of(sample, lattice_));
           if (communicator_.size() == 1) return;
           helpers_.emplace(communicator_, *model_, parts_);
           if (is_root())
             model_->share_sums([this](std::span<const PowerSite> sites, double slab) {
               return helpers_->of(sites, slab);
             });
         }));
  }

  // Collective. Rank 0 works, unless its status is a failure, and other ranks help it with sums.
  // Returns the status of this rank.
  template <class Work>
  Status led(Status status, const Work& work) {
    if (status.ok() && is_root()) status = attempt(stage_name, work);
    if (helpers_ && is_root()) helpers_->end();
    if (!helpers_ || is_root()) return status;
    Status served = attempt(stage_name, [&] { helpers_->serve(); });
    return status.ok() ? served : status;
  }

  // The last domains, if the search can begin from them.
  const VoronoiDomains* earlier() const {
    const auto* const last = std::get_if<VoronoiDomains>(&task_.last);
    const bool fits = last != nullptr && last->parts() == static_cast<int>(parts_) &&
                      last->box() == task_.prepared.region.box &&
                      last->periodic() == task_.prepared.options.periodic;
    return fits ? last : nullptr;
  }

  // It is no use to solve a sample as exactly as all objects: they are weighed afterwards.
  PowerDiagram diagram_for(const PowerModel& model, bool is_whole) const {
    constexpr double rough = 0.05, exact = 0.005;
    const VoronoiDomains* const last = earlier();
    const double within = is_whole ? exact : rough;
    std::optional<PowerDiagram> diagram;
    if (last != nullptr) diagram = followed(model, last->sites(), last_speeds_, within);
    return diagram ? std::move(*diagram) : new_diagram(model, new_speeds_, within);
  }

  double tolerance() const {
    constexpr double usual = 0.01, tight = 0.005;
    return task_.target_lambda() > 1 + 2 * usual ? usual : tight;
  }

  // The decision of rank 0; other ranks leave it as it is.
  struct Turn {
    bool weighs_again = false, is_new = false;
    static void join(Turn& into, const Turn& from) noexcept {
      into.weighs_again = into.weighs_again || from.weighs_again;
      into.is_new = into.is_new || from.is_new;
    }
  };

  // Collective. Weighs the cells, and corrects the diagram until they weigh the same. A rank that
  // has failed sums up anything, and the next vote takes its failure in.
  void weigh() {
    Status status = attempt(stage_name, [&] {
      if (is_root()) sites_ = correction_->sites();
    });
    for (Turn turn{.weighs_again = true};;) {
      turn = vote<&Turn::join>(communicator_, status, turn);
      is_new_ = turn.is_new;
      if (!turn.weighs_again) return;
      communicator_.broadcast(std::span(sites_), 0);
      status = attempt(stage_name, [&] {
        held_ = held();
        std::copy(held_.units.begin(), held_.units.end(), sums_.begin());
      });
      communicator_.all_reduce(std::span(sums_), Reduction::sum);
      turn = {};
      status = led(std::move(status), [&] {
        turn.weighs_again = correction_->improve(sums_);
        turn.is_new = correction_->is_new();
        sites_ = correction_->sites();
      });
    }
  }

  // Collective.
  Found found(const Census& all) {
    Found found;
    for (std::size_t p = 0; p < parts_; ++p) weights_[p] = units_.weight_of(sums_[p]);
    require_finite_sum(weights_);  // the same on all ranks
    found.lambda = evenkeel::lambda_of(weights_, is_new_ ? new_speeds_ : last_speeds_);
    const double sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    const double heaviest = units_.weightless() ? 1 : all.heaviest;
    if (sum > 0) found.heaviest = heaviest / sum * static_cast<double>(parts_);
    std::vector<int> nearer;  // ranks of cells that keep more objects in place
    const bool is_fresh = task_.fresh != nullptr;
    const bool is_named = !task_.prepared.options.rank_of_part.empty();
    if (!is_fresh && !is_named && is_new_)
      nearer = keep_in_place({communicator_}, held_.objects, {task_.speeds(), ranks_});
    found.status = attempt(stage_name, [&] {
      std::vector<int> ranks = nearer.empty() ? std::move(ranks_) : std::move(nearer);
      if (!is_fresh && !is_named && !is_new_) ranks = rank_of_part(task_.last);
      const Region& region = task_.prepared.region;
      found.domains =
          VoronoiDomains(task_.generation(), region.dimensions, region.box,
                         task_.prepared.options.periodic, std::move(sites_), std::move(ranks));
    });
    return found;
  }

  const PlaceTask& task_;
  const Communicator& communicator_;
  std::size_t parts_;
  std::vector<int> ranks_;                        // of the cells of a new diagram; empty if cell p
                                                  // is rank p
  std::vector<double> new_speeds_, last_speeds_;  // of cells; all 1 if they are equal
  Lattice lattice_;
  Units units_;
  std::vector<PowerSite> sites_;            // the same on all ranks
  std::optional<PowerModel> model_;         // on rank 0; a sample is on all ranks
  std::optional<SharedSums> helpers_;       // of a sample, if there is more than one rank
  std::optional<Correction> correction_;    // on rank 0
  std::vector<ObjectsInBlocks> in_blocks_;  // of each set, if a host works on them
  Held held_;                               // in the cells of these sites
  std::vector<std::int64_t> sums_;          // the units of all ranks
  std::vector<double> weights_;             // of the cells
  bool is_new_ = true;                      // false if parts keep the ranks of the last domains
};

}  // namespace

Found find_cells(const PlaceTask& task) {
  Found found;
  Status status = task.status;
  if (keeps<VoronoiDomains>(task, status, found)) return found;
  return CellSearch(task).run(std::move(status));
}

}  // namespace evenkeel
