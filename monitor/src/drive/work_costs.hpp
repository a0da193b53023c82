#pragma once

// What a Balancer learns of the costs of types and features. Kernels are put into groups by their
// phase and by the types that they say they work on; each group has a model of its own, so that a
// kernel that knows its objects is measured against their number alone.
//
// At each look a rank remembers how much it had of everything and how long each group took. At a
// rebalance the ranks agree on the groups and the columns that there are, and fit the models.

#include "drive/agreement.hpp"

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/set.hpp>
#include <evenkeel/core/weights/work_amounts.hpp>
#include <evenkeel/core/weights/work_model.hpp>
#include <evenkeel/monitor/clock.hpp>
#include <evenkeel/monitor/cost_table.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

namespace evenkeel {

class WorkCosts {
 public:
  explicit WorkCosts(bool minimum_norm) : minimum_norm_(minimum_norm) {}

  // Whether any set says what its objects are. The same on all ranks, unless they disagree.
  static bool are_told(std::span<const Set> sets);

  // What this rank has, and how long its kernels took: nanoseconds per step, in the clock's order.
  // Throws for types and features that make no sense. Local.
  void observe(const Space& space, std::span<const Set> sets, std::span<const double> kernels,
               std::span<const KernelOptions> options);

  // Adds to what this rank states before a rebalance: the columns and the groups that it knows.
  void state(const Space& space, std::span<const Set> sets, std::span<const KernelOptions> options,
             RankStatement& mine) const;

  // Objects have moved: what was measured last tells nothing of those that are here now.
  void note_move() noexcept { is_measured_here_ = false; }
  // What the objects that are here took in a phase at the last look; 0: not known.
  double load_of(int phase) const noexcept;

  // What an earlier run has learned.
  void expect(const CostTable& earlier) { earlier_ = earlier; }

  // Makes the models that the agreed columns and groups ask for. Local.
  void build(std::span<const Set> sets, const AgreedWork& agreed);
  bool is_built() const noexcept { return !models_.empty(); }
  void forget() noexcept { models_.clear(); }

  // Collective, where all ranks have built: never throws but for errors of MPI. What has failed on
  // this rank is returned. Few passes suffice for models that were fitted before.
  Status fit(const Communicator& ranks);

  // Whether anything is known of the costs, or only thought: then their unit is any.
  bool are_known() const noexcept { return are_measured() || has_expected_; }
  bool are_measured() const noexcept;
  // What a unit of everything in a set costs, in nanoseconds per step; nothing is below 0.
  PerColumn costs(std::size_t set) const;
  // The same of one phase.
  PerColumn costs(std::size_t set, int phase) const;
  // The phases in which anything is known to take time. The same on all ranks.
  std::uint32_t phases() const noexcept;

  // Standard deviation of a load, as a share of it, by the model that is least sure.
  double noise() const noexcept;

  CostTable table(int ranks) const;

 private:
  // Of one look.
  struct Row {
    std::vector<PerColumn> amounts;                        // by set
    std::vector<std::pair<std::uint32_t, double>> groups;  // nanoseconds per step
  };
  struct Column {
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
  struct Model {
    std::uint32_t group;
    std::vector<Column> columns;
    WorkModel work;
  };

  std::vector<Column> columns_of(std::uint32_t group, const AgreedWork& agreed) const;
  void expect(std::span<const Set> sets);
  void expect(Model& model) const;
  void observe(Model& model, const Row& row) const;
  void add_costs(const Model& model, std::size_t set, PerColumn& costs) const;

  bool minimum_norm_;
  std::deque<Row> rows_;
  std::vector<Model> models_;
  AgreedWork built_;
  std::vector<double> sums_;  // of all models, one behind the other
  bool is_settled_ = false;
  bool is_measured_here_ = false;
  CostTable earlier_;
  std::vector<PerColumn> expected_;  // by set: relative to each other; 0: unknown
  bool has_expected_ = false;
};

}  // namespace evenkeel
