#pragma once

// Balances a grid without knowing the objects: in each round it gets only the work of each domain,
// one number. All ranks hold the same GridRounds and give it the same numbers.
//
//   GridRounds rounds(GridDomains::uniform(shape, box, GridScheme::staggered), {});
//   while (computing) {
//     const double mine = work in rounds.current().box_of(part of this rank);
//     rounds.next(gather_work(communicator, rounds.current(), mine));
//   }

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/config.hpp>
#include <evenkeel/core/domains/grid.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace evenkeel {

// How the next borders follow from the work of the domains.
enum class GridRule : std::uint8_t {
  // The borders divide a model of the density of work evenly, and every round refines the model.
  // The first rounds may be less even than the start, because the model is still coarse. If the
  // work changes, the model drops the rounds that measured the old work.
  model,
  // Each border moves towards the heavier of its two neighbours, as published for the ALL library:
  // by (1 / gamma) (W_above - W_below) / (W_above + W_below) times half the width of both. W is
  // work / speed, summed over a slab in a tensor grid, and over a plane, column or cell in a
  // staggered grid. This rule is for comparison only, because it needs a number of rounds that
  // grows with the square of the length of a row.
  relaxation
};

// The options of GridRounds, the same on all ranks.
struct GridRoundsOptions {
  std::vector<double> speeds = {};         // of each part; if empty, all are equally fast
  std::array<double, 3> least_width = {};  // of a domain, along each axis; takes precedence over
                                           // even work
  std::array<double, 3> cell_size = {};    // if not 0, borders are multiples of it away from the
                                           // lower face
  // Standard deviation of repeated measurements of a domain's work, divided by that work. If the
  // expected gain is smaller than this, the borders stay, and the grid is measured again. If it is
  // 0, the noise is estimated from the errors of the model, and from the changes of the total work,
  // which would be constant without noise.
  double noise = 0;
  GridRule rule = GridRule::model;
  // The gamma of the relaxation. If it is 0, each axis uses max(4.1, 1.1 (1 + widest / narrowest)),
  // by the widths of its domains.
  double gamma = 0;
};

namespace stages {

// A grid, and the density of work that earlier rounds have measured.
class EVENKEEL_API GridRounds {
 public:
  // Begins with `start`, with each border moved to a place that least_width and cell_size allow.
  // Throws an Error for invalid options, and for least widths that do not fit the box; that Error
  // names the greatest width that fits.
  GridRounds(const GridDomains& start, const GridRoundsOptions& options);
  GridRounds(GridRounds&&) noexcept;
  GridRounds& operator=(GridRounds&&) noexcept;
  ~GridRounds();

  // The grid to measure next.
  const GridDomains& current() const noexcept;

  // `work` is the work of each part of current(). Returns the grid to measure next: the same grid
  // if no better one can be found, otherwise one of a higher generation. Throws an Error unless
  // `work` has one number per part, all finite and not negative; then nothing changes. If all work
  // is 0, nothing changes either. Local; the result is the same on all ranks if the numbers are.
  const GridDomains& next(std::span<const double> work);

  // The most even grid that was measured, and its lambda: the greatest work / speed divided by the
  // mean. If there is noise and a grid was measured in several successive rounds, the mean of these
  // measurements counts. Before the first round, these are the first grid and 0. If a repeated
  // measurement shows that the work has changed, earlier rounds no longer count.
  const GridDomains& best() const noexcept;
  double best_lambda() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Collective. Gathers the work of all parts, in their order. `mine` is the work of the part that
// this rank owns. Throws the same Error on all ranks if some work is negative or not finite (the
// Error names the rank), or if there are not as many parts as ranks.
EVENKEEL_API std::vector<double> gather_work(const Communicator& communicator,
                                             const GridDomains& decomposition, double mine);

}  // namespace stages

}  // namespace evenkeel
