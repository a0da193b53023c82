// A field loop moves through a mesh of refined patches, which are distributed by their predicted
// costs.
//
//   mpirun -n 4 05_refined_patches
//   mpirun -n 4 05_refined_patches --way A --moving --every 8 --picture patches.svg
//
// Small patches cost more for each of their cells, because the solver works on ghost cells too. So
// the program first times patches of several sizes and fits a ((mx + B)(my + C) + D) to these
// times. Then, whenever it makes new patches, it predicts the cost of each patch with all patches
// that refine it, and
//
//   A, B, C  hand processors and their time down the tree of patches, in proportion to costs;
//            predictions for descendants come from cost maps of the previous patches; these maps
//            spread the cost of a child over its own cells (A), over all refined cells (B), or over
//            all cells (C);
//   curve    cuts the patches along the Hilbert curve with their present costs.
//
// It makes new patches every 4 steps (--every), or never (--static), and refines the fit with the
// measured times of the patches. It may split a patch between ranks, unless --whole is given. All
// levels make the same steps, without sub-cycling, so ranks wait for each other once a step.
// Efficiency is the work of the average rank over that of the slowest rank, where both are added up
// over all steps. Work is CPU time, since ranks may share cores.

#include "refined_patches/advection.hpp"
#include "refined_patches/mesh.hpp"
#include "refined_patches/picture.hpp"

#include <evenkeel/evenkeel.hpp>
#include <evenkeel/extras/patches/patch_model.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

namespace ek = evenkeel;
using namespace refined;

enum class Way : int { own_cells, covered_cells, all_cells, curve };
constexpr const char* names[] = {"A", "B", "C", "curve"};
constexpr ek::Refinement refinement = {.ratio = ratio, .steps = 1};

struct Settings {
  std::vector<Way> ways = {Way::own_cells, Way::covered_cells, Way::all_cells, Way::curve};
  std::vector<bool> moving = {true, false};
  int steps = 200, steps_of_patches = 4;
  std::int64_t least_layers = 1;  // the fewest layers of a piece of a patch
  std::string picture;
};

// --- The costs of patches ------------------------------------------------------------------------

Field loop_at_start() {
  Field field;
  for (int level = 0; level < levels; ++level)
    for_each_cell(whole(level), [&](auto i, auto j) {
      const double x = (static_cast<double>(i) + 0.5) * cell_size(level) - 0.5;
      const double y = (static_cast<double>(j) + 0.5) * cell_size(level) - 0.5;
      field.at(level, i, j) = 1 + std::max(0.0, 0.3 - std::hypot(x, y));
    });
  return field;
}

// Each rank times some of the sizes, and all ranks get all timings, so that they fit the same
// model.
std::vector<ek::PatchTiming> time_patches(const ek::Communicator& ranks) {
  const Field field = loop_at_start();
  Field next;
  Rims rims;
  Mask covered;
  std::fill(covered.values().begin(), covered.values().end(), char{1});
  std::vector<ek::PatchTiming> mine;
  int number = 0;
  for (const ek::PatchSize& size : ek::patch_sizes_to_time(2, 4, 32, 240)) {
    if (number++ % ranks.size() != ranks.rank()) continue;
    Piece piece(finest, {{40, 30, 0}, {40 + size[0], 30 + size[1], 1}}, covered);
    constexpr int repeats = 5;
    const ek::ThreadCpuStopwatch watch;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      piece.compute_faces(field, 0);
      piece.tell_rims(rims);
      piece.advance(rims, next);
    }
    mine.push_back({size, watch.seconds() / repeats});
  }
  return ranks.all_gather(std::span<const ek::PatchTiming>(mine)).values;
}

// --- The distribution of patches -----------------------------------------------------------------

// The cost maps of all patches, from the present patches. Children are behind their parents, so the
// loop from the last patch to the first meets children first.
std::vector<ek::CostMap> maps_of(const Patches& patches, const ek::PatchModel& model,
                                 ek::CostSpread spread) {
  std::vector<ek::CostMap> maps;
  for (const Patch& patch : patches) maps.emplace_back(2, patch.cells);
  for (std::size_t p = patches.size(); p-- > 0;) {
    std::vector<ek::ChildPatch> children;
    for (const std::size_t child : patches[p].children) {
      const double seconds = model.seconds_of(size_of(patches[child].cells));
      children.push_back({patches[child].covered(), seconds});
      maps[p].add_descendants(maps[child], refinement);
    }
    maps[p].set_children(children, spread, refinement);
  }
  return maps;
}

// Each patch needs only its own list of processors, its children, and the maps of the patches that
// were at its place. So this needs no communication.
std::vector<Shared> shared_by_tree(const Patches& patches, const Patches& before,
                                   const std::vector<ek::CostMap>& maps_before,
                                   const ek::PatchModel& model, int ranks,
                                   std::int64_t least_layers) {
  std::vector<Shared> shared;
  std::vector<std::vector<ek::TimeShare>> time(patches.size());
  for (int rank = 0; rank < ranks; ++rank) time[0].push_back({rank, 1.0});
  for (std::size_t p = 0; p < patches.size(); ++p) {
    ek::CostMap map(2, patches[p].cells);
    for (std::size_t old = 0; old < before.size(); ++old)
      if (before[old].level == patches[p].level) map.take_over(maps_before[old]);
    std::vector<double> costs;
    for (const std::size_t child : patches[p].children)
      costs.push_back(map.predict(patches[child].covered(), model, refinement));
    ek::HandedDown handed = ek::hand_down(patches[p].cells, model, time[p], costs, least_layers);
    for (const ek::PatchPiece& piece : handed.pieces) shared.push_back({patches[p].level, piece});
    for (std::size_t k = 0; k < costs.size(); ++k)
      time[patches[p].children[k]] = std::move(handed.children[k]);
  }
  return shared;
}

// The best cut of all patches along the curve, between slabs of several layers. A patch that is cut
// costs more, since its pieces have ghost cells; so the cut is repeated with these costs.
std::vector<Shared> shared_by_curve(const Patches& patches, const ek::PatchModel& model, int ranks,
                                    std::int64_t least_layers) {
  std::vector<const Patch*> along;
  for (const Patch& patch : patches) along.push_back(&patch);
  std::stable_sort(along.begin(), along.end(), [](const Patch* one, const Patch* other) {
    return one->place_on_curve() < other->place_on_curve();
  });
  std::vector<double> slab_costs;
  std::vector<std::vector<ek::CellRange>> slabs;
  for (const Patch* patch : along) {
    const ek::PatchSize size = size_of(patch->cells);
    const std::size_t axis = size[0] >= size[1] ? 0 : 1;
    slabs.emplace_back();
    const std::int64_t count = std::max<std::int64_t>(1, size[axis] / least_layers);
    for (std::int64_t k = 0; k < count; ++k) {
      ek::CellRange slab = patch->cells;
      slab.begin[axis] = patch->cells.begin[axis] + k * size[axis] / count;
      slab.end[axis] = patch->cells.begin[axis] + (k + 1) * size[axis] / count;
      slabs.back().push_back(slab);
      slab_costs.push_back(model.seconds_of(size) / static_cast<double>(count));
    }
  }
  std::vector<Shared> shared;
  for (int round = 0; round < 3; ++round) {
    shared.clear();
    const ek::stages::Chain chain =
        ek::stages::cut_chain(std::span<const double>(slab_costs), {.parts = ranks});
    std::int64_t item = 0;
    int rank = 0;
    for (std::size_t p = 0; p < along.size(); ++p) {
      const std::size_t first = shared.size();
      for (const ek::CellRange& slab : slabs[p]) {
        while (item >= chain.offsets[static_cast<std::size_t>(rank) + 1]) ++rank;
        ++item;
        if (shared.size() == first || shared.back().piece.rank != rank)
          shared.push_back({along[p]->level, {rank, slab}});
        else
          shared.back().piece.cells.end = slab.end;
      }
      double cost = 0;
      for (std::size_t k = first; k < shared.size(); ++k)
        cost += model.seconds_of(size_of(shared[k].piece.cells));
      for (std::size_t k = 0; k < slabs[p].size(); ++k)
        slab_costs[static_cast<std::size_t>(item) - 1 - k] =
            cost / static_cast<double>(slabs[p].size());
    }
  }
  return shared;
}

// --- The run -------------------------------------------------------------------------------------

// The work of the average and of the slowest rank, added up over steps.
struct Work {
  double mean = 0, slowest = 0;
  void add(double sum, double greatest, int ranks) {
    mean += sum / ranks;
    slowest += greatest;
  }
  double efficiency() const { return slowest > 0 ? mean / slowest : 1; }
};

struct Result {
  Work measured, expected;
  double mass_error = 0;
  std::uint64_t checksum = 0;
  double patches = 0, pieces = 0;
};

class Run {
 public:
  Run(const ek::Communicator& ranks, const std::vector<ek::PatchTiming>& timings, Way way,
      std::int64_t least_layers)
      : ranks_(ranks), way_(way), least_layers_(least_layers), field_(loop_at_start()) {
    for (const ek::PatchTiming& timing : timings) costs_.add(timing);
    model_ = costs_.fit().model;
    patches_ = refined_for(field_, all_cells());
    covered_ = covered_by(patches_);
    average_down(field_, covered_);
    mass_ = integral_of(field_, covered_);
    learn_maps();
    share_out(patches_);
  }

  // Refines the model with the times of all pieces since they were distributed. The model stays the
  // same on all ranks.
  void learn() {
    std::vector<ek::PatchTiming> mine;
    for (std::size_t k = 0; k < mine_.size(); ++k)
      if (seconds_[k] > 0) mine.push_back({size_of(mine_[k].cells()), seconds_[k] / steps_timed_});
    for (const ek::PatchTiming& timing :
         ranks_.all_gather(std::span<const ek::PatchTiming>(mine)).values)
      costs_.add(timing);
    costs_.end_epoch();
    model_ = costs_.fit().model;
  }

  // Distributes the same patches again, since their costs are known better now.
  void share_out_again() {
    learn_maps();
    share_out(patches_);
  }

  void make_patches_anew() {
    const Patches before = std::exchange(patches_, refined_for(field_, covered_));
    const Mask covered_before = std::exchange(covered_, covered_by(patches_));
    fill_new_cells(field_, covered_before, covered_);
    share_out(before);
    learn_maps();
  }

  void step(Result& result) {
    rims_.face[0].clear();
    rims_.face[1].clear();
    next_.clear();
    double seconds = timed([&](Piece& piece) {
      piece.compute_faces(field_, time_);
      piece.tell_rims(rims_);
    });
    // This reduction and the one below replace the messages between patches.
    for (Field& face : rims_.face)
      ranks_.all_reduce(std::span<double>(face.values()), ek::Reduction::sum);
    seconds += timed([&](Piece& piece) { piece.advance(rims_, next_); });
    ++steps_timed_;
    ranks_.all_reduce(std::span<double>(next_.values()), ek::Reduction::sum);
    std::swap(field_, next_);
    average_down(field_, covered_);
    time_ += dt;
    result.measured.add(ranks_.all_reduce(seconds, ek::Reduction::sum),
                        ranks_.all_reduce(seconds, ek::Reduction::greatest), ranks_.size());
    const double most = *std::max_element(expected_.begin(), expected_.end());
    result.expected.add(std::accumulate(expected_.begin(), expected_.end(), 0.0), most,
                        ranks_.size());
    result.patches += static_cast<double>(patches_.size());
    result.pieces += static_cast<double>(shared_.size());
  }

  void finish(Result& result) {
    result.mass_error = integral_of(field_, covered_) / mass_ - 1;
    for (int level = 0; level < levels; ++level)
      for_each_cell(whole(level), [&](auto i, auto j) {
        if (!covered_.at(level, i, j)) return;
        std::uint64_t bits = 0;
        std::memcpy(&bits, &field_.at(level, i, j), sizeof bits);
        result.checksum = (result.checksum ^ bits) * 0x9e3779b97f4a7c15U;
      });
  }

  void draw(const std::string& path) const { draw_pieces(path, shared_); }

 private:
  // Returns the seconds of the whole rank, and adds the seconds of each piece to its sum.
  template <class Function>
  double timed(const Function& work) {
    const ek::ThreadCpuStopwatch all;
    for (std::size_t k = 0; k < mine_.size(); ++k) {
      const ek::ThreadCpuStopwatch watch;
      work(mine_[k]);
      seconds_[k] += watch.seconds();
    }
    return all.seconds();
  }

  static Mask all_cells() {
    Mask all;
    std::fill(all.values().begin(), all.values().end(), char{1});
    return all;
  }

  void learn_maps() {
    if (way_ != Way::curve)
      maps_ = maps_of(patches_, model_, static_cast<ek::CostSpread>(static_cast<int>(way_)));
  }

  // maps_ describes the patches `before`.
  void share_out(const Patches& before) {
    shared_ = way_ == Way::curve
                  ? shared_by_curve(patches_, model_, ranks_.size(), least_layers_)
                  : shared_by_tree(patches_, before, maps_, model_, ranks_.size(), least_layers_);
    expected_.assign(static_cast<std::size_t>(ranks_.size()), 0);
    mine_.clear();
    for (const Shared& of : shared_) {
      expected_[static_cast<std::size_t>(of.piece.rank)] +=
          model_.seconds_of(size_of(of.piece.cells));
      if (of.piece.rank == ranks_.rank()) mine_.emplace_back(of.level, of.piece.cells, covered_);
    }
    seconds_.assign(mine_.size(), 0);
    steps_timed_ = 0;
  }

  const ek::Communicator& ranks_;
  ek::PatchFitter costs_{2};
  ek::PatchModel model_;
  Way way_;
  std::int64_t least_layers_;
  Field field_, next_;
  Rims rims_;
  Patches patches_;
  Mask covered_;
  std::vector<ek::CostMap> maps_;  // of the patches at the last learn_maps()
  std::vector<Shared> shared_;
  std::vector<double> expected_;  // seconds of each rank in a step
  std::vector<Piece> mine_;
  std::vector<double> seconds_;  // of each of my pieces
  int steps_timed_ = 0;
  double mass_ = 0, time_ = 0;
};

Result run(const ek::Communicator& ranks, const std::vector<ek::PatchTiming>& timings, Way way,
           bool moving, const Settings& settings) {
  Run run(ranks, timings, way, settings.least_layers);
  Result result;
  for (int step = 0; step < settings.steps; ++step) {
    if (step > 0 && step % settings.steps_of_patches == 0) {
      run.learn();
      moving ? run.make_patches_anew() : run.share_out_again();
    }
    run.step(result);
  }
  run.finish(result);
  if (!settings.picture.empty() && ranks.rank() == 0) run.draw(settings.picture);
  return result;
}

bool read(int argc, char** argv, Settings& settings) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    const std::string value = i + 1 < argc ? argv[i + 1] : "";
    if (option == "--static" || option == "--moving") {
      settings.moving = {option == "--moving"};
      continue;
    }
    if (option == "--whole") {
      settings.least_layers = 1000;
      continue;
    }
    ++i;
    if (option == "--way") {
      const auto* const found = std::find(std::begin(names), std::end(names), value);
      if (found == std::end(names)) return false;
      settings.ways = {static_cast<Way>(found - std::begin(names))};
    } else if (option == "--steps" && std::atoi(value.c_str()) > 0)
      settings.steps = std::atoi(value.c_str());
    else if (option == "--every" && std::atoi(value.c_str()) > 0)
      settings.steps_of_patches = std::atoi(value.c_str());
    else if (option == "--picture" && !value.empty())
      settings.picture = value;
    else
      return false;
  }
  return true;
}

void simulate(const ek::Communicator& ranks, const Settings& settings) {
  const bool speaks = ranks.rank() == 0;
  const std::vector<ek::PatchTiming> timings = time_patches(ranks);
  const ek::PatchFit fit = ek::fit_patches(2, timings);
  if (speaks) {
    for (const ek::PatchNumber& number : fit.numbers)
      std::printf("%s = %.4g +- %.2g (%s)  ", number.name, number.value, number.uncertainty,
                  ek::text_of(number.doubt));
    std::printf("noise %.1f %%\n", 100 * fit.noise);
    std::printf(
        "patches  way    efficiency  expected  ms/step  patches  pieces  mass error  "
        "checksum\n");
  }
  for (const bool moving : settings.moving)
    for (const Way way : settings.ways) {
      const Result result = run(ranks, timings, way, moving, settings);
      if (speaks)
        std::printf("%-8s %-6s %8.1f %% %7.1f %% %8.3f %8.1f %7.1f %11.1e  %016llx\n",
                    moving ? "moving" : "static", names[static_cast<int>(way)],
                    100 * result.measured.efficiency(), 100 * result.expected.efficiency(),
                    1e3 * result.measured.mean * ranks.size() / settings.steps,
                    result.patches / settings.steps, result.pieces / settings.steps,
                    result.mass_error, static_cast<unsigned long long>(result.checksum));
    }
}

int main(int argc, char** argv) {
#if EVENKEEL_HAS_MPI
  MPI_Init(&argc, &argv);
#endif
  int status = 0;
  try {
    const ek::Communicator ranks = ek::Communicator::world();
    Settings settings;
    if (read(argc, argv, settings)) {
      simulate(ranks, settings);
    } else {
      status = 2;
      if (ranks.rank() == 0)
        std::fputs(
            "usage: 05_refined_patches [--way A|B|C|curve] [--static|--moving] [--steps N] "
            "[--picture FILE.svg]\n",
            stderr);
    }
  } catch (const ek::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    status = 1;
  }
#if EVENKEEL_HAS_MPI
  MPI_Finalize();
#endif
  return status;
}
