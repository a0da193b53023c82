#pragma once

// Divides the objects of all ranks into groups, level by level. In each level, each group is
// divided into pieces along an axis of its own; the pieces are the groups of the next level.
// Between two pieces is a place; a given share of the group's weight must be below it. The key of
// an object is the number of its group, followed by its mark along the group's axis. So one cut of
// these keys finds all places of a level (cut/search.hpp).

#include "boxes/from_objects/section_points.hpp"
#include "cut/objects.hpp"
#include "cut/search.hpp"
#include "cut/units.hpp"

#include <functional>
#include <memory>

namespace evenkeel {

// The divisions of one level. Group g extends along stretches[g]. It is divided into n + 1 pieces,
// where n = first[g + 1] - first[g]. From index first[g] on, `shares` has the wanted share of the
// group's weight in its first piece, in its first two pieces, and so on. If the group has no
// weight, the places between its pieces are those in `otherwise`.
struct SectionLevel {
  struct SectionStretch {
    int axis;
    double lower, upper;
  };
  std::vector<SectionStretch> stretches;
  std::vector<std::int32_t> first;  // empty if there is no group yet
  std::vector<double> shares, otherwise;
  std::int64_t groups() const noexcept { return std::ssize(stretches); }
  void add_group(const SectionStretch& stretch);
  void add_place(double share, double otherwise_at);
};

// The rules by which the places of a level are found.
struct SectionAim {
  // With this tolerance, all places in `kept` are kept, whatever weight is below them.
  static constexpr double wherever = 2;
  // The greatest error of the weight below a place, as a share of the weight of all objects.
  double tolerance = 0;
  // Places to keep if the tolerance permits it, in the order of the shares. For NaN there is no
  // place to keep; if this is empty, no place is kept.
  std::span<const double> kept = {};
  // If not empty, moves the places of a level to allowed positions. It must keep the places of a
  // group in ascending order.
  std::function<void(std::span<double>)> allow = {};
};

// Places to try: for group g, those from index first[g] up to first[g + 1], in ascending order.
struct SectionTrials {
  std::vector<std::int32_t> first;
  std::vector<double> places;

  // Calls visit(g, i) for each place i of each group g, in order.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t g = 0; g + 1 < first.size(); ++g)
      for (std::int32_t i = first[g]; i < first[g + 1]; ++i) visit(g, static_cast<std::size_t>(i));
  }
};

// Gives each object a number: the sum over up to three slots of number[slot][g], where g is the
// group of the object that note() has stored in the slot.
struct SectionSums {
  std::array<std::vector<std::uint64_t>, 3> number;  // empty if the slot is not used
  std::int64_t count = 0;                            // numbers are below this
};

// Each collective call here begins with a vote. Between two calls, do local work in work(); if it
// fails, the vote of the next collective call reports the failure. Within a collective call, steps
// after its first vote allocate memory only if they vote again.
class Sections {
 public:
  // Local; may throw. Reserves memory for up to `most_pieces` pieces in a level. Refers to the
  // points.
  Sections(const Communicator& communicator, std::span<const WeightedPoints> points,
           const BoxCutOptions& options, int dimensions, std::int64_t most_pieces);

  // Local. Returns the census of this rank. Combine the censuses of all ranks in a vote, and pass
  // the result to begin(), before any division. Throws if a weight is not valid.
  Census census() const;
  void begin(const Census& all);

  // Calls function(). Local if it succeeds. If it throws, this rank takes part in the next vote of
  // the other ranks, and all ranks throw the same Error.
  template <class Function>
  void work(const Function& function) {
    const Status status = attempt("core/boxes", function);
    if (!status.ok()) vote(communicator_, status);
  }
  // Collective. Votes once more; call it after the last work().
  void end_work() const { vote(communicator_, Status()); }

  // Collective. Divides the groups; their pieces are the groups of the next level. The first level
  // has one group, with all objects. Returns the places between the pieces, in the order of the
  // shares; the reference is valid until the next call.
  const std::vector<double>& divide(const SectionLevel& level, const SectionAim& aim);

  // Collective. Returns the same places, but divides nothing: the groups stay, and each extends
  // along the axis that the level gives it, until the next call.
  const std::vector<double>& locate(const SectionLevel& level, const SectionAim& aim);
  // Collective, after locate(). Returns, for each place, the share of its group's weight below it,
  // or 0 for a group without weight. There must be less than 4 places for each of the most pieces.
  std::vector<double> shares_below(const SectionTrials& trials);

  // Starts again with the first level.
  void restart() noexcept;

  // Returns the weight of each group that the last division made.
  std::vector<double> weights() const;

  // Collective. Stores, in slot 0, 1 or 2, the group that each object has after the last division.
  void note(int slot);
  // Collective. Returns, for each number, the weight of all objects that have it. There must not be
  // more numbers than a level may have pieces. Then starts again with the first level.
  std::vector<double> weights_by(const SectionSums& sums);

  const CountedReductions& reductions() const noexcept { return search_->reductions(); }

 private:
  // A place between two pieces of a group.
  struct SectionPlace {
    std::int64_t group;
    double at = 0;
    CurveKey splitter = {};
    std::int64_t below = 0;  // weight below the place, in this group and all previous ones
    bool found = false;
  };

  // The groups of the present level.
  struct Groups {
    std::vector<SectionRuler> rulers;           // of the groups that the last division has divided
    std::vector<std::int64_t> weights, before;  // by group; summed over all previous groups
    // The division of the previous level into these groups.
    std::vector<std::int32_t> first;
    std::vector<CurveKey> splitters;
  };
  bool has_keys_of(const SectionLevel& level) const noexcept;

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

  void find_places(const SectionLevel& level, const SectionAim& aim);
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
  const std::vector<double>& found_places();
  std::int64_t sought(const SectionLevel& level, std::size_t place) const noexcept;

  const Communicator& communicator_;
  SectionPoints points_;
  std::unique_ptr<CutObjects> objects_;
  std::unique_ptr<Search> search_;
  Census all_;
  Units units_;
  std::int64_t total_ = 0;
  Groups groups_;
  bool is_located_ = false;  // true if the last call was locate() or shares_below()
  std::vector<SectionPlace> places_;
  std::vector<double> at_;  // positions of places_, for aim.allow
  Memory memory_;
};

}  // namespace evenkeel
