#pragma once

// Predicts the time of a step under the domains that several methods would make of the present
// objects. Nothing moves. Each rank takes part with a sample of its objects.

#include <evenkeel/core/place.hpp>

#include <memory>
#include <vector>

namespace evenkeel {

// The methods to choose from.
inline const std::array<Method, 4> method_candidates = {Hilbert{}, Staggered{},
                                                        RecursiveBisection{}, Voronoi{}};

// The cost of a ghost until it is known, as in StepCosts.
inline constexpr double usual_ghost_cost = 0.1;

// The costs of a step other than the work on objects. Each is in units of the work on an object of
// average weight; the same on all ranks.
struct StepCosts {
  double halo = 0;       // width of the halo in a straight line; if it is 0, there are no ghosts
  double ghost = 0;      // for a rank, for each of its ghosts
  double neighbour = 0;  // for a rank, for each neighbour of its domain
  double move = 0;       // for each object that changes its rank, spread over the steps to come
};

// The ghosts and the neighbours of a part.
struct HaloSize {
  double ghosts = 0, neighbours = 0;
};

// The prediction for a method; the same on all ranks.
struct MethodForecast {
  Method method;
  double lambda = 1;       // of the work alone
  HaloSize greatest = {};  // of any part
  double moved_share = 0;  // of the objects
  double step = 1;         // time of the rank that takes longest, over the mean work of a rank
};

class EVENKEEL_API MethodTrial {
 public:
  // Collective. Refers to the communicator. The status of this rank takes part in the vote. If
  // `parts` is 0, there is one part for each rank. The ghosts of a part are often a tenth of its
  // objects or more, so a sample of the usual size knows their number to 5 or 10 %.
  MethodTrial(const Communicator& communicator, const Status& status, std::span<const Set> sets,
              const Region& region, const PlaceOptions& options, Weights weights, int parts = 0,
              double sampled_per_part = 512);
  MethodTrial(const MethodTrial&) = delete;
  MethodTrial& operator=(const MethodTrial&) = delete;
  ~MethodTrial();

  // Collective. The halo of each part; the same on all ranks.
  std::vector<HaloSize> halos_under(const Domains& domains, double width) const;
  // Collective. The search for new domains may begin from `last`.
  MethodForecast forecast(const Method& method, const StepCosts& costs, const Domains& last) const;

 private:
  struct Sample;
  void count_halos(const Domains& domains, double width, std::span<std::int64_t> counts) const;

  const Communicator& communicator_;
  Region region_;
  PlaceOptions options_;
  int parts_;
  std::unique_ptr<Sample> sample_;
};

// Returns the index of the method to take: that of the shortest step, unless the step of `present`
// is at most 3 % longer. `present` is an index, or -1.
EVENKEEL_API std::size_t best_of(std::span<const MethodForecast> forecasts, std::ptrdiff_t present);

// Returns the costs of a ghost and of a neighbour that explain the times of all ranks best, in the
// unit of `time`: least squares, not negative. Collective.
struct HaloCosts {
  double ghost = 0, neighbour = 0;
};
EVENKEEL_API HaloCosts halo_costs(const Communicator& communicator, const HaloSize& mine,
                                  double time);

}  // namespace evenkeel
