#pragma once

// A grid that is balanced from one number per domain and round: the work of that domain. Objects
// need not be known. All ranks hold the same GridRounds and give it the same numbers.
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
  // A model of the density of work, which every round sharpens; the borders divide it evenly. The
  // first rounds may be less even than the start, because little is known by then. Rounds that
  // measured other work than the newest are forgotten.
  model,
  // Each border moves towards the heavier of its two neighbours, as published for the ALL library:
  // by (1 / gamma) (W_below - W_above) / (W_below + W_above) of half the width of both, W being the
  // work of slabs in a tensor grid, and of planes, columns and cells in a staggered one. For
  // comparison: the number of rounds it needs grows with the square of the length of a row.
  relaxation
};

// The same on all ranks.
struct GridRoundsOptions {
  std::vector<double> speeds = {};         // of each part; empty: alike
  std::array<double, 3> least_width = {};  // of a domain, along each axis; always holds
  std::array<double, 3> cell_size = {};    // borders stand at multiples from the lower face
  // Standard deviation of a domain's work when it is measured again, as a share of that work. A
  // smaller gain is not worth a move, but worth another measurement. 0: the work is exact, or the
  // noise is estimated from the sum of all work, which would be constant without noise.
  double noise = 0;
  GridRule rule = GridRule::model;
  double gamma = 0;  // of the relaxation; 0: max(4.1, 1.1 (1 + widest / narrowest)), of each axis
};

// A grid, and what earlier rounds have told of the density of work.
class EVENKEEL_API GridRounds {
 public:
  // Begins with `start`, its borders moved to where widths and cells allow them. Throws an Error
  // for options that make no sense, and for widths that do not fit the box; that Error names the
  // greatest width that fits.
  GridRounds(const GridDomains& start, const GridRoundsOptions& options);
  GridRounds(GridRounds&&) noexcept;
  GridRounds& operator=(GridRounds&&) noexcept;
  ~GridRounds();

  // The grid whose work comes next.
  const GridDomains& current() const noexcept;

  // `work` is that of each part of current(). Returns the grid to try next: the same grid while
  // nothing better is in sight, otherwise one of a higher generation. Throws an Error for work that
  // is negative or not finite. Nothing is learned from such a call, nor from one in which all work
  // is 0. Local; the result is the same on all ranks if the numbers are.
  const GridDomains& next(std::span<const double> work);

  // The most even grid whose work is known, and its lambda: greatest work / speed over the mean. If
  // a grid was measured in several successive rounds, the mean of its work counts. Before the first
  // round: the start, and 0. Forgotten when a grid that is measured again shows that the work has
  // changed.
  const GridDomains& best() const noexcept;
  double best_lambda() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Collective. The work of all parts, in their order, from that of the part that each rank owns.
// Throws the same Error on all ranks if some work is negative or not finite, naming the rank, and
// if there are not as many parts as ranks.
EVENKEEL_API std::vector<double> gather_work(const Communicator& communicator,
                                             const GridDomains& decomposition, double mine);

}  // namespace evenkeel
