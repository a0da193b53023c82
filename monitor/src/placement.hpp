#pragma once

// Where objects belong: the stages order and cut of a rebalance, for each method. What comes out
// has the same shape for all, so that plan and move need not know which it was.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/migrate/bonds.hpp>
#include <evenkeel/core/order.hpp>
#include <evenkeel/core/set.hpp>
#include <evenkeel/monitor/options.hpp>

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace evenkeel {

// What there is to place.
struct Placing {
  std::span<const Set> sets;
  std::span<const std::vector<double>> weights;  // of each set; empty: all 1
  int dimensions;
  Box box;
  bool bound = false;                    // some rank has groups or pins
  std::function<void(const char*)> lap;  // called at the end of a stage, by its name
};

// An order of each set by keys that rise with the part, and the first key of each part.
struct Placed {
  std::vector<Order> orders;
  Splitters splitters;
  Domains domains;  // of the generation after the last
  Bonds bonds;
  bool changed = false;
  double lambda = 1;
};

// The same domains, as of another generation.
Domains renumbered(const Domains& domains, std::int64_t generation);

using PartsOfSets = std::vector<std::vector<int>>;  // of each object

// Collective. Keeps the domains that there are while they are as even as the target says. `status`
// is what the caller brings to the first vote.
class Placer {
 public:
  Placer(const Communicator& communicator, const Options& options, const Domains& last)
      : communicator_(communicator), options_(options), last_(last) {}
  Placed place(const Status& status, const Placing& placing) const;
  // The domains of a fresh cut of so many objects over all ranks, and nothing else; part p is rank
  // p.
  Domains cut_alone(const Status& status, const Placing& placing, std::int64_t objects) const;

 private:
  Placed on_curve(const Status& status, const Placing& placing) const;
  Placed in_boxes(const Status& status, const Placing& placing) const;
  std::optional<PartsOfSets> kept_parts(const Status& status, const Placing& placing) const;
  Domains cut_boxes(const Status& status, const Placing& placing) const;

  const Communicator& communicator_;
  const Options& options_;
  const Domains& last_;
};

}  // namespace evenkeel
