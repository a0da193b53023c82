#include "boxes/from_work/density.hpp"

namespace evenkeel {

namespace {

// As shares of the mean work of a domain.
constexpr double least_work = 1e-7;    // assumed for every domain: its work may come back
constexpr double least_model = 1e-14;  // the least work of a model that is scaled up

constexpr double least_cell_work = 1e-30;  // of all work: a cell with 0 could never grow again

constexpr double margin = 0.1;  // of a cell: a border nearer to its side does not split it
constexpr std::size_t crowded = 8, full = 16;  // numbers of cells, relative to even_cells_
constexpr double worth_a_cell = 0.25;          // of most_work_: crowded cells with less are merged

constexpr int passes_of_refinement = 3, passes_of_smoothing = 2, sweeps = 6;
constexpr double steepest = 2.5;  // logarithm of a factor between neighbours that is smoothed
constexpr double misplaced_at_most = 0.05;  // of all work, between rounds with the same work

// More cells in a domain than these cost more than they gain.
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

// Interpolates values of domains linearly between their centres, level by level. Steep steps are
// not smoothed.
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

// Merges two boxes that share a whole face into one; false if they do not.
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

// Splits a cell along the side that is longest relative to the domain with most of the cell, at a
// border of that domain or in the middle.
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

// Cells are in the order in which they were split, so cells that were one are neighbours.
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

// Returns whether the newest round still differs from the model after all sweeps.
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
      if (noise > worth_averaging)  // noisy numbers contradict each other: average them
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
    // The earlier distribution of work within a domain says nothing about the present one.
    cells_ = {{{}, 1}};
    refine(rounds.back());
    scale_smoothly(rounds.back());
  }
  return has_forgotten;
}

}  // namespace evenkeel
