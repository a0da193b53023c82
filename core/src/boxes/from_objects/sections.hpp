#pragma once

// Divides the objects of all ranks into groups, level by level: each group of a level into pieces
// along an axis of its own, at places below which it has given shares of its weight. All places of
// a level are found at once: an object's key is its group and then its mark along the group's axis,
// so that a level is a cut of such keys (cut/search.hpp).

#include "boxes/from_objects/section_keys.hpp"
#include "cut/objects.hpp"
#include "cut/search.hpp"
#include "cut/units.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/memory.hpp>
#include <evenkeel/core/boxes/cut.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace evenkeel {

// Group g extends along stretches[g] and is divided into first[g + 1] - first[g] + 1 pieces.
// shares[first[g]] is the share of its weight that is wanted in its first piece, the next one in
// its first two pieces, ...; if the group has no weight, the places between its pieces are those of
// `otherwise`.
struct SectionLevel {
  struct Stretch {
    int axis;
    double lower, upper;
  };
  std::vector<Stretch> stretches;
  std::vector<std::int32_t> first;  // empty: there is no group yet
  std::vector<double> shares, otherwise;
  std::int64_t groups() const noexcept { return std::ssize(stretches); }
  void add_group(const Stretch& stretch);
  void add_place(double share, double otherwise_at);
};

// How to find the places of a level.
struct SectionAim {
  // A tolerance with which all given places are kept.
  static constexpr double wherever = 2;
  // How far the weight below a place may differ from what is wanted, as a share of all weight.
  double tolerance = 0;
  // Places that stay if the tolerance allows it, in the order of the shares; NaN: this place does
  // not stay. Empty: no place does.
  std::span<const double> kept = {};
  // May move the places of a level to allowed positions; they never fall within a group.
  std::function<void(std::span<double>)> allow = {};
};

// Numbers objects by the groups noted in up to three slots: the sum of number[slot][group].
struct SectionSums {
  std::array<std::vector<std::uint64_t>, 3> number;  // empty: the slot does not matter
  std::int64_t count = 0;                            // of possible numbers
};

// Every collective call here begins with a vote. Between two of them a rank works by itself in
// work(), and a failure there is told at the next vote, whichever call that is in. Within a call,
// nothing is allocated after its first vote, but for what votes again.
class Sections {
 public:
  // Reserves memory for at most `most_pieces` in a level. May fail; local. Refers to the points.
  Sections(const Communicator& communicator, std::span<const WeightedPoints> points,
           const BoxCutOptions& options, int dimensions, std::int64_t most_pieces);

  // The census of this rank, for the vote that must precede any division. Throws for weights that
  // are not valid. Local.
  Census census() const;
  void begin(const Census& all);

  // Local, unless it fails: then this rank takes part in the next vote of the others, and all throw
  // the same Error.
  template <class Function>
  void work(const Function& function) {
    const Status status = attempt("core/boxes", function);
    if (!status.ok()) vote(communicator_, status);
  }
  // Collective. The vote after the last work.
  void end_work() const { vote(communicator_, Status()); }

  // Collective. Returns the places between the pieces, in the order of the shares, until the next
  // call; the pieces are the groups of the next level. The first level has one group, with all
  // objects.
  const std::vector<double>& divide(const SectionLevel& level, const SectionAim& aim);

  // Starts again with the first level.
  void restart() noexcept;

  // The weights of the groups that the last division made.
  std::vector<double> weights() const;

  // Collective. Notes in slot 0, 1 or 2 the group of the last division that contains each object.
  void note(int slot);
  // Collective. The weight of all objects with each number; there are no more numbers than a level
  // may have pieces. Starts again with the first level.
  std::vector<double> weights_by(const SectionSums& sums);

  int reductions() const noexcept { return search_->reductions(); }
  std::int64_t bytes_reduced() const noexcept { return search_->bytes_reduced(); }

 private:
  // A place between two pieces of a group.
  struct Place {
    std::int64_t group;
    double at = 0;
    CurveKey splitter = {};
    std::int64_t below = 0;  // the weight below it, in this group and those before
    bool found = false;
  };

  CurveKey key(std::int64_t group, std::uint64_t mark) const noexcept {
    return {(static_cast<std::uint64_t>(group) << bits_) + mark};
  }
  const Ruler& ruler_of(std::int64_t group) const noexcept {
    return rulers_[static_cast<std::size_t>(group)].ruler;
  }

  void reserve(const SectionLevel& level);
  void write_keys(const SectionLevel& level);
  void weigh(const SectionLevel& level, const SectionAim& aim);
  void begin_places(const SectionLevel& level);
  void place_without_weight(const SectionLevel& level);
  void stay(const SectionLevel& level, const SectionAim& aim);
  void find(const SectionLevel& level, const SectionAim& aim);
  void allow(const SectionAim& aim);
  void count_below();
  void make_groups(const SectionLevel& level);
  std::int64_t sought(const SectionLevel& level, std::size_t place) const noexcept;

  const Communicator& communicator_;
  std::span<const WeightedPoints> points_;
  int bits_;
  std::array<GridAxis, 3> axes_;
  std::vector<Buffer> keys_;
  std::array<std::vector<GroupNotes>, 3> noted_;  // empty: the slot was never used
  std::vector<WeightedKeys> keyed_;
  std::unique_ptr<CutObjects> objects_;
  std::unique_ptr<Search> search_;
  Census all_;
  Units units_;
  std::int64_t total_ = 0;

  // The rulers of the groups that the last division divided.
  std::vector<SectionRuler> rulers_;

  // The groups of the present level: their weights, the weight of all groups before each, and how
  // the level before was divided into them.
  std::vector<std::int64_t> weights_, before_;
  std::vector<std::int32_t> first_;
  std::vector<CurveKey> splitters_;

  std::vector<Place> places_;
  std::vector<double> at_;  // those places

  // Memory of divide().
  std::vector<Place> places_before_;
  std::vector<CurveKey> boundaries_;
  std::vector<std::int64_t> wanted_, next_weights_;
};

}  // namespace evenkeel
