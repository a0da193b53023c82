#include "costs/work_costs.hpp"

#include <cmath>
#include <functional>
#include <tuple>

namespace evenkeel {

namespace {

constexpr const char* costs_stage = "monitor/costs";

static_assert(CostTable::Row::most_types == most_types &&
              CostTable::Row::most_features == most_features);
static_assert(KernelTypes::most == most_types && most_types + most_features <= 32);

constexpr std::size_t most_rows = 48;  // number of looks that are remembered
constexpr int few_passes = 3;
// Costs of types are at least this share of the mean cost, even if least squares give less.
constexpr double least_cost = 1e-3;

// --- Groups of kernels: phase, set and types, packed in one number that is never 0 ---------------

constexpr std::uint32_t group_of(int phase) { return static_cast<std::uint32_t>(phase + 1) << 24; }

std::uint32_t group_of(const KernelOptions& options) {
  const std::uint32_t types = options.types.bits();
  if (types == 0) return group_of(options.phase);
  return group_of(options.phase) | static_cast<std::uint32_t>(options.set) << 16 | types;
}

constexpr int phase_of(std::uint32_t group) { return static_cast<int>(group >> 24) - 1; }
constexpr std::size_t set_of(std::uint32_t group) { return group >> 16 & 0xFFU; }
constexpr std::uint32_t types_of(std::uint32_t group) { return group & 0xFFFFU; }

}  // namespace

// If there are too many groups, keeps those with the least numbers, so groups can be added in any
// order.
void AgreedWork::add_group(std::uint32_t group) noexcept {
  if (group == 0 || has(group)) return;
  constexpr std::uint32_t none = ~std::uint32_t{0};
  std::replace(groups.begin(), groups.end(), std::uint32_t{0}, none);
  if (group < groups.back()) groups.back() = group;
  std::sort(groups.begin(), groups.end());
  std::replace(groups.begin(), groups.end(), none, std::uint32_t{0});
}

void AgreedWork::add(const AgreedWork& other) noexcept {
  for (std::size_t s = 0; s < columns.size(); ++s) columns[s] |= other.columns[s];
  for (const std::uint32_t group : other.groups) add_group(group);
  phases |= other.phases;
}

bool WorkCosts::are_told(std::span<const Set> sets) {
  return std::any_of(sets.begin(), sets.end(), [](const Set& set) {
    return set.options().type.given() || set.options().features.given();
  });
}

void WorkCosts::observe(const Space& space, std::span<const Set> sets,
                        std::span<const double> kernels, std::span<const KernelOptions> options,
                        double speed) {
  MeasuredLook row;
  for (const Set& set : sets) row.amounts.push_back(amounts_of(space, set));
  for (std::size_t k = 0; k < std::min(kernels.size(), options.size()); ++k)
    row.groups.emplace_back(group_of(options[k]), speed * kernels[k]);
  for (GroupModel& model : models_) observe(model, row);
  rows_.push_back(std::move(row));
  is_measured_here_ = true;
  if (rows_.size() > most_rows) rows_.pop_front();
}

// If a kernel's group is not among the agreed ones, its time counts for the phase's group of
// kernels that name no types.
void WorkCosts::observe(GroupModel& model, const MeasuredLook& row) const {
  std::vector<double> amounts;
  for (const CostColumn& column : model.columns)
    amounts.push_back(column.set < row.amounts.size() ? column.of(row.amounts[column.set]) : 0);
  double load = 0;
  for (const auto& [group, nanoseconds] : row.groups) {
    const std::uint32_t counts_as = built_.has(group) ? group : group_of(phase_of(group));
    if (counts_as == model.group) load += nanoseconds;
  }
  model.work.observe(amounts, load);
}

AgreedWork WorkCosts::known(const Space& space, std::span<const Set> sets,
                            std::span<const KernelOptions> options) const {
  AgreedWork known;
  const auto add_columns = [&](std::size_t set, const PerColumn& amounts) {
    std::uint32_t& bits = known.columns[set];
    for (int t = 0; t < most_types; ++t)
      if (amounts.types[static_cast<std::size_t>(t)] > 0) bits |= std::uint32_t{1} << t;
    for (int f = 0; f < most_features; ++f)
      if (amounts.features[static_cast<std::size_t>(f)] > 0)
        bits |= std::uint32_t{1} << (most_types + f);
  };
  for (std::size_t s = 0; s < sets.size(); ++s) add_columns(s, amounts_of(space, sets[s]));
  for (const MeasuredLook& row : rows_)
    for (std::size_t s = 0; s < std::min(sets.size(), row.amounts.size()); ++s)
      add_columns(s, row.amounts[s]);
  for (const KernelOptions& kernel : options) {
    known.phases |= std::uint32_t{1} << kernel.phase;
    if (kernel.types.bits() != 0) known.add_group(group_of(kernel));
  }
  return known;
}

std::vector<WorkCosts::CostColumn> WorkCosts::columns_of(std::uint32_t group,
                                                         const AgreedWork& agreed) const {
  const std::uint32_t types = types_of(group);
  std::vector<CostColumn> columns;
  for (std::size_t s = 0; s < agreed.columns.size(); ++s) {
    if (types != 0 && set_of(group) != s) continue;
    const std::uint32_t wanted = agreed.columns[s] & (types != 0 ? types : ~std::uint32_t{0});
    for (std::size_t bit = 0; bit < most_types + most_features; ++bit)
      if ((wanted >> bit & 1U) != 0)
        columns.push_back({s, bit >= most_types, bit >= most_types ? bit - most_types : bit});
  }
  if (columns.size() > WorkModel::most_columns) columns.resize(WorkModel::most_columns);
  return columns;
}

// Expects the costs that an earlier run has learned. Without such a run, expects the costs of types
// that the application gave.
void WorkCosts::expect(std::span<const Set> sets) {
  expected_.assign(sets.size(), PerColumn{});
  for (const CostTable::Row& row : earlier_.rows) {
    const auto set = static_cast<std::size_t>(row.set);
    const CostColumn column = {set, row.is_feature, static_cast<std::size_t>(row.number)};
    if (set < sets.size()) column.of(expected_[set]) = row.seconds * 1e9;
  }
  for (std::size_t s = 0; s < sets.size() && earlier_.empty(); ++s) {
    const std::vector<double>& told = sets[s].options().type_costs;
    std::copy(told.begin(), told.end(), expected_[s].types.begin());
  }
  has_expected_ = std::any_of(expected_.begin(), expected_.end(),
                              [](const PerColumn& costs) { return !(costs == PerColumn{}); });
}

// The expected costs are sums over all kernels, so they say nothing about a group of kernels that
// name types.
void WorkCosts::expect(GroupModel& model) const {
  if (!has_expected_ || types_of(model.group) != 0) return;
  std::vector<double> expected;
  for (const CostColumn& column : model.columns)
    expected.push_back(column.set < expected_.size() ? column.of(expected_[column.set]) : 0);
  model.work.expect(expected);
}

void WorkCosts::build(std::span<const Set> sets, const AgreedWork& agreed) {
  expect(sets);
  if (is_built() && agreed == built_) return;
  std::vector<GroupModel> models;
  std::size_t sums = 0;
  const auto add = [&](std::uint32_t group) {
    std::vector<CostColumn> columns = columns_of(group, agreed);
    if (columns.empty()) return;
    std::vector<WorkModel::Column> kinds;
    kinds.reserve(columns.size());
    for (const CostColumn& column : columns)
      kinds.push_back(column.is_feature ? WorkModel::Column::feature : WorkModel::Column::type);
    // If ranks have similar amounts of a single column, its cost cannot be separated from a fixed
    // cost.
    const WorkModelOptions how = {
        .minimum_norm = minimum_norm_, .has_fixed = kinds.size() > 1, .has_speeds = true};
    models.push_back({group, std::move(columns), WorkModel(std::move(kinds), how)});
    expect(models.back());
    sums += models.back().work.sums().size();
  };
  for (int phase = 0; phase < kernel_phases; ++phase)
    if ((agreed.phases >> phase & 1U) != 0) add(group_of(phase));
  for (const std::uint32_t group : agreed.groups)
    if (group != 0) add(group);
  std::vector<double> all(sums);
  built_ = agreed;
  for (GroupModel& model : models)
    for (const MeasuredLook& row : rows_) observe(model, row);
  models_ = std::move(models);
  sums_ = std::move(all);
  is_settled_ = false;
}

Status WorkCosts::fit(const Communicator& ranks) {
  Status status;
  const auto try_to = [&](const std::function<void()>& what) {
    if (status.ok()) status = attempt(costs_stage, what);
  };
  const int passes = std::exchange(is_settled_, true) ? few_passes : WorkModel::settled_passes;
  for (int pass = 0; pass < passes; ++pass) {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    try_to([&] {
      auto into = sums_.begin();
      for (GroupModel& model : models_) {
        const std::span<const double> mine = model.work.sums();
        into = std::copy(mine.begin(), mine.end(), into);
      }
    });
    ranks.all_reduce(std::span<double>(sums_), Reduction::sum);
    try_to([&] {
      auto from = sums_.begin();
      for (GroupModel& model : models_) {
        const std::span<double> all = model.work.sums();
        std::copy(from, from + std::ssize(all), all.begin());
        from += std::ssize(all);
        model.work.solve();
      }
    });
  }
  if (!status.ok()) is_settled_ = false;
  return status;
}

double WorkCosts::load_of(int phase) const noexcept {
  double load = 0;
  if (is_measured_here_ && !rows_.empty())
    for (const auto& [group, nanoseconds] : rows_.back().groups)
      if (phase_of(group) == phase) load += nanoseconds;
  return load;
}

bool WorkCosts::are_measured() const noexcept {
  return std::any_of(models_.begin(), models_.end(),
                     [](const GroupModel& model) { return model.work.estimate().is_known(); });
}

void WorkCosts::add_costs(const GroupModel& model, std::size_t set, PerColumn& costs) const {
  const WorkEstimate& estimate = model.work.estimate();
  if (!estimate.is_known()) return;
  double sum = 0;
  for (const double cost : estimate.costs) sum += std::max(0.0, cost);
  const double least = least_cost * sum / static_cast<double>(estimate.costs.size());
  for (std::size_t j = 0; j < model.columns.size(); ++j) {
    const CostColumn& column = model.columns[j];
    if (column.set != set) continue;
    column.of(costs) += std::max(column.is_feature ? 0.0 : least, estimate.costs[j]);
  }
}

PerColumn WorkCosts::costs(std::size_t set) const {
  if (!are_measured()) return set < expected_.size() ? expected_[set] : PerColumn{};
  PerColumn all;
  for (const GroupModel& model : models_) add_costs(model, set, all);
  return all;
}

PerColumn WorkCosts::costs(std::size_t set, int phase) const {
  PerColumn all;
  for (const GroupModel& model : models_)
    if (phase_of(model.group) == phase) add_costs(model, set, all);
  return all;
}

std::uint32_t WorkCosts::phases() const noexcept {
  std::uint32_t phases = 0;
  for (const GroupModel& model : models_)
    if (model.work.estimate().is_known()) phases |= std::uint32_t{1} << phase_of(model.group);
  return phases;
}

double WorkCosts::noise() const noexcept {
  double most = 0;
  for (const GroupModel& model : models_) most = std::max(most, model.work.estimate().noise);
  return most;
}

CostTable WorkCosts::table(int ranks) const {
  constexpr double seconds = 1e-9;
  CostTable table;
  for (const GroupModel& model : models_) {
    const WorkEstimate& estimate = model.work.estimate();
    if (!estimate.is_known()) continue;
    for (std::size_t j = 0; j < model.columns.size(); ++j) {
      const CostColumn& column = model.columns[j];
      CostTable::Row row = {.set = static_cast<int>(column.set),
                            .is_feature = column.is_feature,
                            .number = static_cast<int>(column.number)};
      const auto same =
          std::find_if(table.rows.begin(), table.rows.end(), [&](const CostTable::Row& at) {
            return at.set == row.set && at.is_feature == row.is_feature && at.number == row.number;
          });
      CostTable::Row& into = same != table.rows.end() ? *same : table.rows.emplace_back(row);
      into.amount = estimate.amounts[j] * ranks;
      into.seconds += seconds * std::max(0.0, estimate.costs[j]);
      into.error = std::hypot(into.error, seconds * estimate.errors[j]);
    }
    table.fixed_seconds += seconds * estimate.fixed;
    table.noise = std::max(table.noise, estimate.noise);
    table.condition = std::max(table.condition, estimate.condition);
    table.frozen += estimate.frozen;
  }
  std::sort(
      table.rows.begin(), table.rows.end(), [](const CostTable::Row& a, const CostTable::Row& b) {
        return std::tie(a.set, a.is_feature, a.number) < std::tie(b.set, b.is_feature, b.number);
      });
  return table;
}

}  // namespace evenkeel
