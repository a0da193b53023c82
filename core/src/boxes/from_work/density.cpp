#include "boxes/from_work/density.hpp"

namespace evenkeel {

namespace {

// The next two numbers are shares of the average work of a domain. Every domain is assumed to have
// at least `least_work`, because a domain without work may get some.
constexpr double least_work = 1e-7;
constexpr double least_model = 1e-14;  // a model with less work than this is not scaled up further

constexpr double least_cell_work = 1e-30;  // a share of all work: a cell with 0 could never grow

// a share of a cell's width: a border that is nearer to a side does not split the cell
constexpr double margin = 0.1;
constexpr std::size_t crowded = 8, full = 16;  // numbers of cells, in units of even_cells_
// in units of most_work_; crowded cells with less work are merged
constexpr double worth_a_cell = 0.25;

constexpr int passes_of_refinement = 3, passes_of_smoothing = 2, sweeps = 6;
constexpr double steepest = 2.5;  // a greater log(factor) between neighbours is not smoothed
                                  // completely
// share of all work that may differ if work has not changed
constexpr double misplaced_at_most = 0.05;

// Returns the useful number of cells in a domain: more cells cost more than they gain.
std::size_t cells_per_domain(std::size_t domains) {
  return std::clamp<std::size_t>(65536 / domains, 4, domains <= 512 ? 32 : 16);
}

double factor(double work, double model, double mean) {
  return model > 0 ? (work + least_work * mean) / std::max(model, least_model * mean) : 1;
}

std::vector<double> factors_of(std::span<const double> work, std::span<const double> model) {
  const double mean = 1 / static_cast<double>(work.size());
  std::vector<double> factors;
  factors.reserve(work.size());
  for (std::size_t d = 0; d < work.size(); ++d) factors.push_back(factor(work[d], model[d], mean));
  return factors;
}

// Interpolates values of domains linearly between their centres, level by level. A difference that
// is too great is not smoothed completely.
class Smooth {
 public:
  Smooth(const UnitGrid& grid, std::span<const double> values) : grid_(grid), values_(values) {}

  double operator()(const std::array<double, 3>& at) const { return value(at, 0, 0); }

 private:
  double value(const std::array<double, 3>& at, std::size_t level, std::size_t index) const {
    if (level == 3) return values_[index];
    const std::size_t n = grid_.domains[level];
    const double* const row = grid_.row(level, index);
    const double place = at[level];
    const auto centre = [=](std::size_t domain) { return 0.5 * (row[domain] + row[domain + 1]); };
    const auto of = [&](std::size_t domain) { return value(at, level + 1, index * n + domain); };
    const std::size_t domain = domain_at(row, n, place);
    const bool is_below = place < centre(domain);
    if (is_below ? domain == 0 : domain + 1 == n) return of(domain);
    const std::size_t lower = is_below ? domain - 1 : domain, upper = lower + 1;
    const double below = of(lower), above = of(upper);
    const double slope =
        std::clamp(above - below, -steepest, steepest) / (centre(upper) - centre(lower));
    return place < row[upper] ? below + slope * (place - centre(lower))
                              : above - slope * (centre(upper) - place);
  }

  const UnitGrid& grid_;
  std::span<const double> values_;
};

// If two boxes share a whole face, merges the second into the first and returns true.
bool unite(UnitBox& below, const UnitBox& above) {
  std::size_t differ = 0, along = 0;
  for (std::size_t level = 0; level < 3; ++level)
    if (below.lower[level] != above.lower[level] || below.upper[level] != above.upper[level]) {
      ++differ;
      along = level;
    }
  if (differ != 1 || below.upper[along] != above.lower[along]) return false;
  below.upper[along] = above.upper[along];
  return true;
}

}  // namespace

bool is_other_work(std::span<const double> a, std::span<const double> b, double noise) {
  double difference = 0;
  for (std::size_t d = 0; d < a.size(); ++d) difference += std::abs(a[d] - b[d]);
  return difference / 2 > std::max(misplaced_at_most, noise);
}

Density::Density(const LevelCounts& domains)
    : parts_(domains[0] * domains[1] * domains[2]),
      even_cells_(cells_per_domain(parts_) * parts_),
      most_work_(1 / static_cast<double>(even_cells_)),
      is_divided_({domains[0] > 1, domains[1] > 1, domains[2] > 1}) {}

std::vector<double> Density::work_in(const UnitGrid& grid) const {
  std::vector<double> work(grid.parts());
  for (const DensityCell& cell : cells_)
    for_each_share(grid, cell.box,
                   [&](std::size_t domain, double share) { work[domain] += share * cell.work; });
  return work;
}

Density::Cover Density::cover(const UnitGrid& grid) const {
  Cover cover;
  cover.first.reserve(cells_.size() + 1);
  cover.domains.reserve(2 * cells_.size());
  cover.shares.reserve(2 * cells_.size());
  for (const DensityCell& cell : cells_) {
    cover.first.push_back(cover.domains.size());
    for_each_share(grid, cell.box, [&](std::size_t domain, double share) {
      cover.domains.push_back(static_cast<std::uint32_t>(domain));
      cover.shares.push_back(static_cast<float>(share));
    });
  }
  cover.first.push_back(cover.domains.size());
  return cover;
}

std::vector<double> Density::work_in(const Cover& cover, std::size_t domains) const {
  std::vector<double> work(domains);
  for (std::size_t c = 0; c < cells_.size(); ++c)
    for (std::size_t i = cover.first[c]; i < cover.first[c + 1]; ++i)
      work[cover.domains[i]] += static_cast<double>(cover.shares[i]) * cells_[c].work;
  return work;
}

void Density::scale(const Cover& cover, std::span<const double> factors) {
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    double by = 0;
    for (std::size_t i = cover.first[c]; i < cover.first[c + 1]; ++i)
      by += static_cast<double>(cover.shares[i]) * factors[cover.domains[i]];
    cells_[c].work = std::max(cells_[c].work * by, least_cell_work);
  }
}

// --- Cells ---------------------------------------------------------------------------------------

// Splits a cell that has much work. The domain with most of the cell's work determines the axis and
// the place. The axis is that of the cell's longest side in units of the domain's side. The place
// is at a border of the domain, or in the middle of the cell if the domain has no border in the
// cell.
void Density::split(const DensityCell& cell, const UnitGrid& grid, std::span<const double> factors,
                    std::vector<DensityCell>& into) const {
  double scaled = 0, most = -1;
  std::size_t home = 0;
  for_each_share(grid, cell.box, [&](std::size_t domain, double share) {
    const double part = share * factors[domain];
    scaled += part;
    if (part > most) most = part, home = domain;
  });
  const auto keep = [&] { into.push_back(cell); };
  if (!(scaled * cell.work > most_work_) || into.size() >= full * even_cells_) return keep();
  const UnitBox domain = grid.box_of(home);
  double longest = 0;
  std::size_t along = 3;
  for (std::size_t level = 0; level < 3; ++level) {
    const double length = cell.box.width(level) / domain.width(level);
    if (is_divided_[level] && length > longest && cell.box.width(level) > 1.5 * finest)
      longest = length, along = level;
  }
  if (along == 3) return keep();
  const double lower = cell.box.lower[along], width = cell.box.width(along);
  double place = resolved(lower + 0.5 * width);
  for (const double border : {domain.upper[along], domain.lower[along]})
    if (border > lower + margin * width && border < lower + (1 - margin) * width) place = border;
  const double share = (place - lower) / width;
  DensityCell below = cell, above = cell;
  below.box.upper[along] = above.box.lower[along] = place;
  below.work = share * cell.work;
  above.work = (1 - share) * cell.work;
  split(below, grid, factors, into);
  split(above, grid, factors, into);
}

// Merges neighbours in the list that have little work. The halves of a split cell are neighbours
// there.
void Density::merge() {
  std::vector<DensityCell> merged;
  for (const DensityCell& cell : cells_) {
    merged.push_back(cell);
    while (merged.size() > 1) {
      DensityCell& below = merged[merged.size() - 2];
      const DensityCell& above = merged.back();
      if (below.work + above.work > worth_a_cell * most_work_ || !unite(below.box, above.box))
        break;
      below.work += above.work;
      merged.pop_back();
    }
  }
  cells_ = std::move(merged);
}

void Density::refine(const MeasuredGrid& round) {
  if (cells_.size() > crowded * even_cells_) merge();
  for (int pass = 0; pass < passes_of_refinement; ++pass) {
    const std::vector<double> factors = factors_of(round.work, work_in(round.grid));
    std::vector<DensityCell> finer;
    finer.reserve(cells_.size() + cells_.size() / 2);
    for (const DensityCell& cell : cells_) split(cell, round.grid, factors, finer);
    const bool is_done = finer.size() == cells_.size();
    cells_ = std::move(finer);
    if (is_done) return;
  }
}

// --- Work ----------------------------------------------------------------------------------------

void Density::scale_smoothly(const MeasuredGrid& round) {
  const Cover domains = cover(round.grid);
  for (int pass = 0; pass < passes_of_smoothing; ++pass) {
    std::vector<double> factors = factors_of(round.work, work_in(domains, parts_));
    for (double& factor : factors) factor = std::log(factor);
    const Smooth smooth(round.grid, factors);
    for (DensityCell& cell : cells_) {
      std::array<double, 3> centre;
      for (std::size_t level = 0; level < 3; ++level)
        centre[level] = 0.5 * (cell.box.lower[level] + cell.box.upper[level]);
      cell.work = std::max(cell.work * std::exp(smooth(centre)), least_cell_work);
    }
  }
}

// Scales the model to all rounds. Returns true if, in the last sweep, the model that is scaled to
// the other rounds differs from the newest round.
bool Density::fit(const std::deque<MeasuredGrid>& rounds, double noise) {
  std::vector<Cover> covers;
  double most_repeats = 1;
  bool is_other = false;
  for (const MeasuredGrid& round : rounds) {
    covers.push_back(cover(round.grid));
    most_repeats = std::max(most_repeats, round.repeats);
  }
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (std::size_t r = 0; r < rounds.size(); ++r) {
      const std::vector<double> model = work_in(covers[r], parts_);
      std::vector<double> factors = factors_of(rounds[r].work, model);
      is_other = is_other_work(rounds[r].work, model, noise);
      if (noise > worth_averaging)  // noise makes rounds contradict each other: average them
        for (double& factor : factors)
          factor = std::pow(factor, rounds[r].repeats / most_repeats / (1 + sweep));
      scale(covers[r], factors);
    }
  return is_other;
}

bool Density::learn(std::deque<MeasuredGrid>& rounds, double noise) {
  bool has_forgotten = false;
  refine(rounds.back());
  scale_smoothly(rounds.back());
  const std::vector<DensityCell> before = cells_;
  while (fit(rounds, noise) && rounds.size() > 1) {
    rounds.erase(rounds.begin(), rounds.begin() + (std::ssize(rounds) + 1) / 2);
    has_forgotten = true;
    cells_ = before;
    if (rounds.size() > 1) continue;
    // Only the newest round is left. Restart with an even model: the old distribution within
    // domains is out of date.
    cells_ = {{{}, 1}};
    refine(rounds.back());
    scale_smoothly(rounds.back());
  }
  return has_forgotten;
}

}  // namespace evenkeel
