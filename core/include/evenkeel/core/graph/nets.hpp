#pragma once

// Cuts objects that are connected by nets into parts of equal weight, so that each net is in few
// parts. This suits sparse matrices (a column is a net of the rows that need the same entry of a
// vector), circuits, and meshes whose elements share nodes. A graph would count an edge for each
// pair of objects in a net. But a net needs only one copy of its data for each of its parts beyond
// the first, and the cut minimises these copies.
//
//   ek::NetCut cut = ek::cut_nets(space, ranks, ek::nets(rows, offsets, columns), {.parts = 64});
//   cut.parts                // the part of each object, in the memory of the space
//   cut.report.connectivity  // the sum over nets of their parts beyond the first
//
// docs/graph.md explains the method and its quality.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/core/field/number_source.hpp>
#include <evenkeel/core/graph.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace evenkeel::stages {

// --- Nets ----------------------------------------------------------------------------------------
// Nets as an application describes them: rows of connected objects, and properties of objects and
// nets.

// The report counts nets with more pins than this, but the search ignores them.
inline constexpr int most_net_pins = 64;

// Properties of objects and nets. Each is given like a field, in any container, and is only read.
// Arrays may have more entries than objects or nets; the rest is not read.
struct NetOptions {
  // The id of each object, which no other object on any rank has: integers of any type and value.
  // The pins then hold ids. Without ids, objects are numbered from 0 on, rank after rank.
  NumberSource id = {};
  // The cost of each object, finite and not negative. Several numbers per object are constraints,
  // each of which is balanced. Without weights, all objects cost the same.
  NumberSource weight = {};
  // The cost of each part of a net beyond the first, such as the size of a message; finite and not
  // negative. Without net weights, it is 1.
  NumberSource net_weight = {};
  // The relative cost of moving an object, such as its bytes. Without it, all objects cost the same
  // to move.
  NumberSource bytes = {};
  // Two or three coordinates per object.
  NumberSource position = {};
  // The part that an object must be in. With a negative number, it may be in any part. Integers.
  NumberSource fixed = {};
};

// The number of objects of this rank, and the nets that this rank describes. Each net is described
// by exactly one rank, and may connect objects of any ranks. The pins of net e are pins[offsets[e]]
// to before pins[offsets[e + 1]]. They are ids, or numbers that count the objects of all ranks,
// rank after rank. Nets refer to the application's variables, which are read when the Nets are
// used.
class EVENKEEL_API Nets {
 public:
  // See nets().
  Nets(OwnedCount objects, NumberSource offsets, NumberSource pins, NetOptions options = {})
      : objects_(objects),
        offsets_(std::move(offsets)),
        pins_(std::move(pins)),
        options_(std::move(options)) {}

  const OwnedCount& objects() const noexcept { return objects_; }
  const NumberSource& offsets() const noexcept { return offsets_; }
  const NumberSource& pins() const noexcept { return pins_; }
  const NetOptions& options() const noexcept { return options_; }

 private:
  OwnedCount objects_;
  NumberSource offsets_, pins_;
  NetOptions options_;
};

// The description of nets, for cut_nets(). `objects` is the number of objects of this rank.
inline Nets nets(OwnedCount objects, NumberSource offsets, NumberSource pins,
                 NetOptions options = {}) {
  return {objects, std::move(offsets), std::move(pins), std::move(options)};
}

// --- The report of a cut -------------------------------------------------------------------------

// The quality of a cut of nets, the same on all ranks. It includes the nets that the search
// ignores.
struct NetReport {
  int parts = 0;
  std::int64_t objects = 0, nets = 0;
  std::int64_t pins = 0;        // as given, with duplicates
  std::int64_t duplicates = 0;  // repeated pins of a net, which count once; large nets are not
                                // searched for duplicates
  std::int64_t large = 0;       // nets of more than most_net_pins pins
  // The sum over nets of the weight times the number of parts beyond the first.
  double connectivity = 0;
  std::int64_t cut_nets = 0;      // nets in several parts
  std::int64_t most_parts = 0;    // the greatest number of parts that a net is in
  std::vector<double> lambda;     // of each constraint: heaviest part / average
  std::vector<double> bound;      // no cut has a lambda below this: objects cannot be divided
  double moved = 0;               // share of all objects that leave their present part
  double moved_weight = 0;        // share of the weight that moves, by the first constraint
  double least_moved_weight = 0;  // the share of the weight that must move to meet the target
  int empty = 0;                  // parts without an object: 0 if there are enough objects
};

// --- Cuts ----------------------------------------------------------------------------------------
// The part of each object, and the report of the cut.
struct NetCut {
  exec::Array<int> parts;  // of this rank's objects
  NetReport report;
};

// Collective. Options and method mean the same as for graphs, but a moving cost counts nets of the
// average weight instead of edges. The result is the same on any number of ranks and threads and on
// any space, as long as objects have the same numbers. Throws the same Error on all ranks for:
// invalid offsets or pins; an id that two objects have; a pin that is the id of no object; invalid
// weights; a fixed part that does not exist; memory that cannot be allocated.
EVENKEEL_API NetCut cut_nets(const Space& space, const Communicator& communicator, const Nets& nets,
                             const GraphCutOptions& options = {}, const ByGraph& method = {});

}  // namespace evenkeel::stages
