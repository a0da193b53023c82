#pragma once

// Balances domains without knowing the objects: in each round it gets only the work of each domain,
// one number. All ranks hold the same GridRounds and give it the same numbers. WorkRounds are for
// the cells of a power diagram and for meshes.
//
//   GridRounds rounds(GridDomains::uniform(shape, box, GridScheme::staggered), {});
//   while (computing) {
//     const double mine = work in rounds.current().box_of(part of this rank);
//     rounds.next(gather_work(communicator, rounds.current(), mine));
//   }

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/config.hpp>
#include <evenkeel/core/domains.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
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

// The options of GridRounds and WorkRounds, the same on all ranks. The cells of a power diagram
// have no least width, and only grids have a cell size, a rule and a gamma.
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

// The cells of a power diagram or the hexahedra of a mesh, and the density of work that earlier
// rounds have measured. Each rank holds samples of the density in its own domain, and a cut of all
// samples makes the next domains.
//
//   WorkRounds rounds(WorkRounds::even(communicator, {.box = box, .parts = ranks}, {}), {});
//   while (computing) {
//     const WorkRounds::Measured mine = work and centre of work in the domain of this rank;
//     rounds.next(communicator, std::span(&mine, 1));
//   }
class EVENKEEL_API WorkRounds {
 public:
  // The domains to begin with.
  struct Start {
    int dimensions = 3;  // 2 or 3
    Box box = {};
    std::array<bool, 3> periodic = {};
    int parts = 1;
    std::vector<int> rank_of_part = {};  // if empty, part p belongs to rank p
    // The number of domains of a mesh along each axis; evenkeel chooses those that are 0. If it is
    // not set, domains are the cells of a power diagram.
    std::optional<std::array<int, 3>> mesh = std::nullopt;
  };
  // The work of a domain, in any unit that all ranks share.
  struct Measured {
    double work = 0;
    // The mean place of the work, if it is known: the sum of work x place, divided by the work. It
    // helps much. Places are inside the box of all domains, also on periodic axes. It has no
    // meaning without work, nor beyond the dimensions.
    std::optional<std::array<double, 3>> centre = std::nullopt;
  };

  // Collective. Returns domains of about the same volume or, with speeds, of volumes about in
  // proportion to them. Their generation is 1. Kokkos must be running.
  static Domains even(const Communicator& communicator, const Start& start,
                      const GridRoundsOptions& options);

  // Local. Throws an Error unless the domains are cells of a power diagram or hexahedra of a mesh,
  // and for invalid options.
  WorkRounds(Domains start, const GridRoundsOptions& options);
  WorkRounds(const WorkRounds& other);
  WorkRounds(WorkRounds&&) noexcept;
  WorkRounds& operator=(WorkRounds&&) noexcept;
  ~WorkRounds();

  // The domains to measure next.
  const Domains& current() const noexcept;
  // The first owner whose domain this rank measures, and the end of these owners. If there are as
  // many domains as ranks, this is the rank itself. Otherwise the ranks share the owners evenly.
  std::pair<int, int> owners_on(const Communicator& communicator) const noexcept;

  // Collective. `mine` has the work of the domain of each owner on this rank. Returns the domains
  // to measure next: the same domains if no better ones can be found, otherwise domains of a higher
  // generation. A new power diagram may exchange the domains of ranks. If all work is 0, nothing
  // changes. Throws the same Error on all ranks if some work is negative or not finite, or if a
  // centre of work is outside of the box around its domain; then nothing changes. After any other
  // Error, begin again. The same input leads to the same domains.
  const Domains& next(const Communicator& communicator, std::span<const Measured> mine);

  // The most even domains that were measured, and their lambda, as in GridRounds.
  const Domains& best() const noexcept;
  double best_lambda() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stages

}  // namespace evenkeel
