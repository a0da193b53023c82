#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/extras/patches/patch_model.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace evenkeel {

namespace {

using Times = std::vector<TimeShare>;

constexpr Refusal refuse_shares{"extras/patches"};

void check_number(double number, const char* what) {
  if (!(number >= 0) || !std::isfinite(number))
    refuse_shares(std::string("A ") + what + " is " + text_of(number) + ".",
                  "Give numbers that are finite and not negative.");
}

void check(std::span<const TimeShare> time) {
  if (time.empty()) refuse_shares("A patch has no processors.", "Give one at least.");
  for (const TimeShare& of : time) check_number(of.share, "share of time");
}

double sum_of(std::span<const TimeShare> time) {
  double sum = 0;
  for (const TimeShare& of : time) sum += of.share;
  return sum;
}

double sum_of(std::span<const double> costs) {
  return std::accumulate(costs.begin(), costs.end(), 0.0);
}

// Walks along a list of shares and takes pieces off it.
class List {
 public:
  explicit List(std::span<const TimeShare> time)
      : time_(time), sliver_(1e-9 * sum_of(time)), left_(time.front().share) {}

  Times take(double wanted) {
    Times taken;
    while (wanted > sliver_) {
      if (left_ <= sliver_ && at_ + 1 < time_.size()) {
        left_ = time_[++at_].share;
        continue;
      }
      // The last entry absorbs rounding errors.
      double part = std::min(wanted, left_);
      if (wanted - part <= sliver_ || at_ + 1 == time_.size()) part = wanted;
      if (left_ - part <= sliver_ && part <= left_) part = left_;
      taken.push_back({time_[at_].rank, part});
      wanted -= part;
      left_ -= part;
    }
    while (taken.empty() && left_ <= sliver_ && at_ + 1 < time_.size()) left_ = time_[++at_].share;
    if (taken.empty()) taken.push_back({time_[at_].rank, 0});
    return taken;
  }

 private:
  std::span<const TimeShare> time_;
  double sliver_;
  std::size_t at_ = 0;
  double left_;
};

std::size_t longest_axis(const CellRange& patch, int dimensions) {
  std::size_t longest = 0;
  for (std::size_t axis = 1; axis < static_cast<std::size_t>(dimensions); ++axis)
    if (patch.end[axis] - patch.begin[axis] > patch.end[longest] - patch.begin[longest])
      longest = axis;
  return longest;
}

PatchSize size_of(const CellRange& cells) {
  PatchSize size = {1, 1, 1};
  for (std::size_t axis = 0; axis < 3; ++axis) size[axis] = cells.end[axis] - cells.begin[axis];
  return size;
}

// The cells that ghosts and overhead add to a piece along `axis`, in layers of cells.
double layers_of_overhead(const PatchModel& model, const PatchSize& size, std::size_t axis) {
  double cells_of_layer = 1;
  for (std::size_t other = 0; other < static_cast<std::size_t>(model.dimensions); ++other)
    if (other != axis) cells_of_layer *= static_cast<double>(size[other]) + model.ghosts[other];
  return model.ghosts[axis] + model.overhead_cells / cells_of_layer;
}

// The layers of each piece, before rounding. A piece of w layers costs as much as w + overhead
// layers. Leaves out pieces that would be too thin, the thinnest first.
std::vector<double> layers_by_time(Times& time, double layers, double overhead, double least) {
  for (;;) {
    const double per_time = (layers + static_cast<double>(time.size()) * overhead) / sum_of(time);
    const auto thinnest = std::min_element(
        time.begin(), time.end(),
        [](const auto& one, const auto& other) { return one.share < other.share; });
    if (time.size() > 1 && !(thinnest->share * per_time - overhead >= least)) {
      time.erase(thinnest);
      continue;
    }
    std::vector<double> found;
    for (const TimeShare& of : time)
      found.push_back(time.size() > 1 ? of.share * per_time - overhead : layers);
    return found;
  }
}

}  // namespace

std::vector<Times> divide_time(std::span<const TimeShare> time, std::span<const double> costs) {
  check(time);
  for (const double cost : costs) check_number(cost, "cost of a child");
  const double all_time = sum_of(time), all_costs = sum_of(costs);
  if (!std::isfinite(all_time) || !std::isfinite(all_costs))
    refuse_shares("Shares of time or costs add up to more than a number can hold.",
                  "Give the numbers in a greater unit.");
  List list(time);
  std::vector<Times> lists;
  for (const double cost : costs)
    lists.push_back(list.take(all_costs > 0 ? all_time * (cost / all_costs)
                                            : all_time / static_cast<double>(costs.size())));
  return lists;
}

std::vector<PatchPiece> split_patch(const CellRange& patch, const PatchModel& model,
                                    std::span<const TimeShare> time, std::int64_t least_layers) {
  check(time);
  static_cast<void>(model.seconds_of(size_of(patch)));  // throws for a patch without cells
  const std::size_t axis = longest_axis(patch, model.dimensions);
  const std::int64_t layers = patch.end[axis] - patch.begin[axis];
  Times kept(time.begin(), time.end());
  const std::vector<double> wanted = layers_by_time(
      kept, static_cast<double>(layers), layers_of_overhead(model, size_of(patch), axis),
      static_cast<double>(std::max<std::int64_t>(least_layers, 1)));
  std::vector<PatchPiece> pieces;
  double before = 0;
  CellRange cells = patch;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    before += wanted[i];
    cells.end[axis] =
        i + 1 == kept.size() ? patch.end[axis] : patch.begin[axis] + std::llround(before);
    pieces.push_back({kept[i].rank, cells});
    cells.begin[axis] = cells.end[axis];
  }
  return pieces;
}

HandedDown hand_down(const CellRange& patch, const PatchModel& model,
                     std::span<const TimeShare> time, std::span<const double> child_costs,
                     std::int64_t least_layers) {
  const double own = model.seconds_of(size_of(patch)), below = sum_of(child_costs);
  const std::vector<Times> divided = divide_time(time, std::vector<double>{own, below});
  HandedDown handed;
  handed.pieces = split_patch(patch, model, divided[0], least_layers);
  double spent = 0;
  for (const PatchPiece& piece : handed.pieces) spent += model.seconds_of(size_of(piece.cells));
  // The time of each processor that its piece does not use.
  Times rest(time.begin(), time.end());
  const double per_second = sum_of(time) / (spent + below);
  for (const PatchPiece& piece : handed.pieces) {
    double owed = model.seconds_of(size_of(piece.cells)) * per_second;
    for (TimeShare& of : rest) {
      if (of.rank != piece.rank) continue;
      const double taken = std::min(of.share, owed);
      of.share -= taken;
      owed -= taken;
    }
  }
  handed.children = divide_time(rest, child_costs);
  return handed;
}

}  // namespace evenkeel
