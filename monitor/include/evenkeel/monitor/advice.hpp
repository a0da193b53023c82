#pragma once

// The advice that an application gets at the end of a step, and the outcome of following it.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel {

// The result of Monitor::step(), the same on all ranks. It converts to true if the application
// should rebalance now.
struct Advice {
  bool rebalance = false;
  std::string reason = {};  // a readable text if rebalance is true
  // The generation of the earlier decomposition to return to, or -1 to make a new one.
  // Monitor::step() always returns -1, since a Monitor keeps no earlier decompositions.
  std::int64_t back_to = -1;
  // If it is not 0, shift the domains along their curve with this penalty (Options::shift) instead
  // of making a new cut. Monitor::step() always returns 0.
  double shift_penalty = 0;
  // If true, the shift uses the load of the last epoch only and ignores earlier measurements.
  bool shifts_by_last_epoch = false;
  // If it is not 0, a new cut pays unless the lambda of the present domains, by the weights, is at
  // most this.
  double even_enough = 0;
  // If true, the reason is memory: a rank is full, or will be soon (Options::memory).
  bool frees_memory = false;
  explicit operator bool() const noexcept { return rebalance; }
};

// --- Options of a step ---------------------------------------------------------------------------
// The application's choices for one step; the same on all ranks.
struct StepOptions {
  // If false, nothing moves in this step; timing, looks and decisions continue as usual. If a
  // rebalance is decided on in such a step, it waits until the next step in which objects may move.
  bool may_move = true;
  // If true, the application has made, removed or changed objects, so that the load from now on
  // will differ from the measured one. The new load is predicted at once, from weights or numbers
  // of objects and the time that they took before. If a rebalance pays by this prediction, it is
  // made in this step, and not some steps later. Set it in every step after such a change. A
  // Balancer predicts, and so does a GraphBalancer, a GridBalancer that gets cells, and a
  // BlockBalancer whose blocks have been timed. A Monitor and a GridBalancer without cells do not
  // know the objects: there it is an Error.
  bool changed = false;
};

// --- Sections ------------------------------------------------------------------------------------
// A picture of the domains: planes through the box, divided into cells, with the rank that owns the
// centre of each cell. The size of the picture does not depend on the number of ranks.

// The box, and planes through it.
struct DomainSections {
  // One plane through the box.
  struct Plane {
    int across = 0, up = 1;  // axes of the box: `across` along a row, `up` along a column
    double at = 0;           // in 3-D, the position of the plane along the third axis
    int columns = 0, rows = 0;
    std::vector<int> owners = {};  // row by row, from the lower corner

    friend bool operator==(const Plane&, const Plane&) = default;
  };

  std::vector<double> low = {}, high = {};  // corners of the box
  std::vector<Plane> planes = {};           // one in 2-D, six in 3-D; empty if not known

  friend bool operator==(const DomainSections&, const DomainSections&) = default;
};

// --- Outcome -------------------------------------------------------------------------------------
// The result of a rebalance. Codes that balance their objects themselves may pass it to
// Monitor::rebalanced().
struct Outcome {
  bool moved = true;     // false if the decomposition has not changed
  bool earlier = false;  // true if earlier domains were taken again
  bool shifted = false;  // true if the last domains were shifted along their curve
  std::int64_t objects_moved = 0, bytes_moved = 0;
  double seconds = 0;          // that the rebalance took on this rank
  std::int64_t forgotten = 0;  // objects whose learned costs were dropped
  double lambda = 0;           // of the new domains, by the weights of the objects; 0 if unknown
  // These two are empty and 0 unless the cut was made for several phases: the lambda of each phase,
  // and by how many percent a step takes longer than the lower bound for any cut.
  std::vector<double> phase_lambdas = {};
  double shortfall_percent = 0;
  std::vector<std::pair<std::string, double>> stages = {};
  DomainSections domains = {};  // the new domains, for the journal; rank 0's value counts
};

}  // namespace evenkeel
