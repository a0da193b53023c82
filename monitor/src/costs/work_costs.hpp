#pragma once

// Learns the costs of types and features for a Balancer. Kernels are grouped by their phase and by
// the types that their options name. Each group has its own model: if its kernels name types, only
// the objects of these types explain the time of the group.
//
// At each look, a rank remembers its amount of each type and feature (a column), and the time of
// each group. At a rebalance, the ranks agree on the groups and columns that exist, and fit the
// models.

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/field/set.hpp>
#include <evenkeel/core/weights/work_amounts.hpp>
#include <evenkeel/core/weights/work_model.hpp>
#include <evenkeel/monitor/clock.hpp>
#include <evenkeel/monitor/metrics.hpp>

#include <algorithm>
#include <deque>

namespace evenkeel {

// The columns and groups of all ranks together. Columns are the types and features that sets have.
// A group of kernels is a phase, together with the types of one set on which the kernels work. Each
// phase also has a group of the kernels that name no types; such groups are not listed here.
struct AgreedWork {
  static constexpr std::size_t most_sets = 64, most_groups = 16;

  std::array<std::uint32_t, most_sets> columns{};   // a bit for each type, then for each feature
  std::array<std::uint32_t, most_groups> groups{};  // sorted; unused ones are 0
  std::uint32_t phases = 0;                         // a bit for each phase with kernels

  bool empty() const noexcept { return columns == decltype(columns){}; }
  void add_group(std::uint32_t group) noexcept;
  void add(const AgreedWork& other) noexcept;
  bool has(std::uint32_t group) const noexcept {
    return std::find(groups.begin(), groups.end(), group) != groups.end();
  }
  friend bool operator==(const AgreedWork&, const AgreedWork&) = default;
};

class WorkCosts {
 public:
  explicit WorkCosts(bool minimum_norm) : minimum_norm_(minimum_norm) {}

  // True if a set has types or features. The result is the same on all ranks, unless their sets
  // differ.
  static bool are_told(std::span<const Set> sets);

  // Local. Remembers the amounts of this rank, and the times of its kernels, which are in the order
  // of the clock and in nanoseconds per step. A time x speed is a cost. Throws an Error for invalid
  // types and features.
  void observe(const Space& space, std::span<const Set> sets, std::span<const double> kernels,
               std::span<const KernelOptions> options, double speed);

  // The columns and the groups that this rank knows, for its statement before a rebalance.
  AgreedWork known(const Space& space, std::span<const Set> sets,
                   std::span<const KernelOptions> options) const;

  // Call this after objects have moved, because the last measurement does not describe the present
  // objects.
  void note_move() noexcept { is_measured_here_ = false; }
  // Nanoseconds per step that the present objects took in a phase at the last look; 0 if unknown.
  double load_of(int phase) const noexcept;

  // Takes the costs that an earlier run has learned.
  void expect(const CostTable& earlier) { earlier_ = earlier; }

  // Local. Makes the models of the agreed columns and groups.
  void build(std::span<const Set> sets, const AgreedWork& agreed);
  bool is_built() const noexcept { return !models_.empty(); }
  void forget() noexcept { models_.clear(); }

  // Collective. Call it after build() on all ranks. Throws only for errors of MPI; returns any
  // other failure of this rank. After the first fit, a fit takes only few passes.
  Status fit(const Communicator& ranks);

  // True if costs are measured or expected. If costs are only expected, only their ratios are
  // known.
  bool are_known() const noexcept { return are_measured() || has_expected_; }
  bool are_measured() const noexcept;
  // The cost of one unit of each type and feature of a set, in nanoseconds per step; never
  // negative.
  PerColumn costs(std::size_t set) const;
  // The part of these costs in one phase.
  PerColumn costs(std::size_t set, int phase) const;
  // A bit for each phase in which a cost is known. The same on all ranks.
  std::uint32_t phases() const noexcept;

  // The standard deviation of a load / that load, by the least certain model.
  double noise() const noexcept;

  CostTable table(int ranks) const;

 private:
  // The measurements of one look.
  struct MeasuredLook {
    std::vector<PerColumn> amounts;                        // by set
    std::vector<std::pair<std::uint32_t, double>> groups;  // costs in nanoseconds per step
  };
  struct CostColumn {
    std::size_t set;
    bool is_feature;
    std::size_t number;

    double of(const PerColumn& all) const noexcept {
      return is_feature ? all.features[number] : all.types[number];
    }
    double& of(PerColumn& all) const noexcept {
      return is_feature ? all.features[number] : all.types[number];
    }
  };
  struct GroupModel {
    std::uint32_t group;
    std::vector<CostColumn> columns;
    WorkModel work;
  };

  std::vector<CostColumn> columns_of(std::uint32_t group, const AgreedWork& agreed) const;
  void expect(std::span<const Set> sets);
  void expect(GroupModel& model) const;
  void observe(GroupModel& model, const MeasuredLook& row) const;
  void add_costs(const GroupModel& model, std::size_t set, PerColumn& costs) const;

  bool minimum_norm_;
  std::deque<MeasuredLook> rows_;
  std::vector<GroupModel> models_;
  AgreedWork built_;
  std::vector<double> sums_;  // the sums of all models, one model after the other
  bool is_settled_ = false;
  bool is_measured_here_ = false;
  CostTable earlier_;
  std::vector<PerColumn> expected_;  // by set; only ratios count; 0 if unknown
  bool has_expected_ = false;
};

}  // namespace evenkeel
