#pragma once

// Balances a grid from one number per domain and round, the work of that domain, without the
// objects. All ranks hold the same GridRounds and give it the same numbers.
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
  // The borders divide a model of the density of work evenly; every round refines the model. The
  // first rounds may be less even than the start, because the model is still coarse. When the work
  // changes, the model drops the rounds that measured the old work.
  model,
  // Each border moves towards the heavier of its two neighbours, as published for the ALL library:
  // by (1 / gamma) (W_above - W_below) / (W_above + W_below) times half the width of both. W is
  // work / speed, summed over slabs in a tensor grid, and over planes, columns and cells in a
  // staggered one. This rule is for comparison: the number of rounds that it needs grows with the
  // square of the length of a row.
  relaxation
};

// The same on all ranks.
struct GridRoundsOptions {
  std::vector<double> speeds = {};         // of each part; if empty, all are equally fast
  std::array<double, 3> least_width = {};  // of a domain, along each axis; always holds
  std::array<double, 3> cell_size = {};    // borders are at multiples of it from the lower face
  // Standard deviation of a domain's work when it is measured again, as a share of that work. A
  // smaller gain is not worth a move, but worth another measurement. If it is 0, the noise is
  // estimated from the changes of the total work, which is constant without noise, and from the
  // errors of the model.
  double noise = 0;
  GridRule rule = GridRule::model;
  // The gamma of the relaxation. If it is 0, each axis uses max(4.1, 1.1 (1 + widest / narrowest)),
  // by its domains.
  double gamma = 0;
};

namespace stages {

// A grid, and the density of work as far as earlier rounds have measured it.
class EVENKEEL_API GridRounds {
 public:
  // Begins with `start`, after moving its borders to where widths and cells allow them. Throws an
  // Error for invalid options, and for widths that do not fit the box; that Error names the
  // greatest width that fits.
  GridRounds(const GridDomains& start, const GridRoundsOptions& options);
  GridRounds(GridRounds&&) noexcept;
  GridRounds& operator=(GridRounds&&) noexcept;
  ~GridRounds();

  // The grid to measure next.
  const GridDomains& current() const noexcept;

  // `work` is that of each part of current(). Returns the grid to try next: the same grid if no
  // better one is in sight, otherwise one of a higher generation. Throws an Error for work that is
  // negative or not finite, or not one number per part. Such a call changes nothing, nor does one
  // in which all work is 0. Local; the result is the same on all ranks if the numbers are.
  const GridDomains& next(std::span<const double> work);

  // The most even grid that was measured, and its lambda: the greatest work / speed over the mean.
  // If there is noise and a grid was measured in several successive rounds, the mean of its work
  // counts. Before the first round, these are the start and 0. They are forgotten when a grid that
  // is measured again shows that the work has changed.
  const GridDomains& best() const noexcept;
  double best_lambda() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Collective. Gathers the work of all parts, in their order; `mine` is that of the part that this
// rank owns. Throws the same Error on all ranks if some work is negative or not finite, naming the
// rank, and if there are not as many parts as ranks.
EVENKEEL_API std::vector<double> gather_work(const Communicator& communicator,
                                             const GridDomains& decomposition, double mine);

}  // namespace stages

}  // namespace evenkeel
