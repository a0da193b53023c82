#pragma once

// Divides the objects of all ranks into groups, level by level. Each group of a level is divided
// into pieces along an axis of its own, at places below which the group has given shares of its
// weight. All places of a level are found at once: the key of an object is its group, followed by
// its mark along the group's axis, so a level is one cut of such keys (cut/search.hpp).

#include "boxes/from_objects/section_points.hpp"
#include "cut/objects.hpp"
#include "cut/search.hpp"
#include "cut/units.hpp"

#include <functional>
#include <memory>

namespace evenkeel {

// Group g extends along stretches[g] and is divided into first[g + 1] - first[g] + 1 pieces.
// shares[first[g]] is the share of its weight that is wanted in its first piece, the next one in
// its first two pieces, ...; if the group has no weight, the places between its pieces are those of
// `otherwise`.
struct SectionLevel {
  struct SectionStretch {
    int axis;
    double lower, upper;
  };
  std::vector<SectionStretch> stretches;
  std::vector<std::int32_t> first;  // empty as long as there is no group
  std::vector<double> shares, otherwise;
  std::int64_t groups() const noexcept { return std::ssize(stretches); }
  void add_group(const SectionStretch& stretch);
  void add_place(double share, double otherwise_at);
};

// How to find the places of a level.
struct SectionAim {
  // A tolerance with which all given places are kept.
  static constexpr double wherever = 2;
  // The greatest error of the weight below a place, as a share of all weight.
  double tolerance = 0;
  // The places that stay if the tolerance allows it, in the order of the shares. A place that is
  // NaN does not stay; if there are no places here, no place stays.
  std::span<const double> kept = {};
  // May move the places of a level to allowed positions; they never fall within a group.
  std::function<void(std::span<double>)> allow = {};
};

// Numbers objects by the groups noted in up to three slots: the sum of number[slot][group].
struct SectionSums {
  std::array<std::vector<std::uint64_t>, 3> number;  // empty if the slot does not matter
  std::int64_t count = 0;                            // of possible numbers
};

// Each collective call here begins with a vote. Between two calls a rank does local work in work();
// the next vote, in whichever call it is, reports a failure there. Within a call, only steps that
// vote again allocate memory after the first vote.
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

  const CountedReductions& reductions() const noexcept { return search_->reductions(); }

 private:
  // A place between two pieces of a group.
  struct SectionPlace {
    std::int64_t group;
    double at = 0;
    CurveKey splitter = {};
    std::int64_t below = 0;  // the weight below it, in this group and those before
    bool found = false;
  };

  // The groups of the present level.
  struct Groups {
    std::vector<SectionRuler> rulers;           // of the groups that the last division divided
    std::vector<std::int64_t> weights, before;  // of each group, and of all groups before it
    // The division of the previous level into these groups.
    std::vector<std::int32_t> first;
    std::vector<CurveKey> splitters;
  };
  // Memory that divide() reuses.
  struct Memory {
    std::vector<SectionPlace> places;
    std::vector<CurveKey> boundaries;
    std::vector<std::int64_t> wanted, weights;
  };

  SectionGroups divided() const noexcept {
    return {points_.bits(), points_.axes(), groups_.first, groups_.splitters, groups_.rulers};
  }
  CurveKey key(std::int64_t group, std::uint64_t mark) const noexcept {
    return {(static_cast<std::uint64_t>(group) << points_.bits()) + mark};
  }
  const Ruler& ruler_of(std::int64_t group) const noexcept {
    return groups_.rulers[static_cast<std::size_t>(group)].ruler;
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
  SectionPoints points_;
  std::unique_ptr<CutObjects> objects_;
  std::unique_ptr<Search> search_;
  Census all_;
  Units units_;
  std::int64_t total_ = 0;
  Groups groups_;
  std::vector<SectionPlace> places_;
  std::vector<double> at_;  // of the places
  Memory memory_;
};

}  // namespace evenkeel
