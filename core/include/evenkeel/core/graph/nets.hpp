#pragma once

// Cuts objects that light nets connect into parts that weigh the same, so that nets are in few
// parts: for matrices, whose rows need the entries of a vector that their columns name; for
// circuits; for elements that share nodes. A graph counts an edge for each two objects that a net
// connects; what has to be sent is a copy for each other part, and that is what is minimised here.
//
//   ek::NetCut cut = ek::cut_nets(space, ranks, ek::nets(rows, offsets, columns), {.parts = 64});
//   cut.parts                // of each object, in the memory of the space
//   cut.report.connectivity  // for each net, the parts that it is in but one
//
// docs/graph.md tells how it works and how good it is.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/core/field/number_source.hpp>
#include <evenkeel/core/graph.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace evenkeel {

// --- Nets ----------------------------------------------------------------------------------------
// Nets as an application describes them: rows of objects that belong together, and what is known of
// objects and nets.

// Nets of more pins than this are counted, but no cut is sought for their sake.
inline constexpr int most_net_pins = 64;

// What is known of objects and nets. Each is given like a field, in any container, and is only
// read. Arrays may be longer than what they are for; the rest is not read.
struct NetOptions {
  // A number by which each object is known on all ranks: integers of any type and value, no two the
  // same. The pins then hold these. Unset: objects are numbered, rank after rank.
  NumberSource id = {};
  // What each object costs, finite and not negative. Several numbers per object are constraints,
  // each of which is balanced. Unset: all cost the same.
  NumberSource weight = {};
  // What it costs for each part but one that a net is in, finite and not negative: the size of a
  // message, say. Unset: all cost 1.
  NumberSource net_weight = {};
  // What it costs to move an object, relative to the others: its bytes, say. Unset: all the same.
  NumberSource bytes = {};
  // Two or three coordinates per object.
  NumberSource position = {};
  // The part that an object must be in; a negative number: any. Integers.
  NumberSource fixed = {};
};

// The objects of a rank, which count themselves, and the nets that it tells of: the pins of net e
// are pins[offsets[e]] to before pins[offsets[e + 1]], objects of any ranks, by numbers that count
// the objects of all ranks, rank after rank, or by ids. Each net is told by one rank, any of them.
// A description: it refers to the application's variables, which are read when it is used.
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

// The description of nets, for cut_nets(). `objects`: how many this rank has.
inline Nets nets(OwnedCount objects, NumberSource offsets, NumberSource pins,
                 NetOptions options = {}) {
  return {objects, std::move(offsets), std::move(pins), std::move(options)};
}

// --- The report of a cut -------------------------------------------------------------------------
// What a cut of nets is like.

// The same on all ranks. All nets count, also those that no cut is sought for.
struct NetReport {
  int parts = 0;
  std::int64_t objects = 0, nets = 0;
  std::int64_t pins = 0;        // as they are told
  std::int64_t duplicates = 0;  // pins that a net has more than once, and that count once; not
                                // looked for in nets that are too large
  std::int64_t large = 0;       // nets of more than most_net_pins pins
  // For each net, its weight times the other parts that it is in: what has to be sent for it.
  double connectivity = 0;
  std::int64_t cut_nets = 0;      // nets in several parts
  std::int64_t most_parts = 0;    // that a net is in
  std::vector<double> lambda;     // of each constraint: heaviest part / average
  std::vector<double> bound;      // no cut has a lambda below this: objects cannot be divided
  double moved = 0;               // share of all objects that change their part
  double moved_weight = 0;        // share of the weight, of the first constraint
  double least_moved_weight = 0;  // what must move at least, for the tolerance
  int empty = 0;                  // parts without an object: 0 if there are enough objects
};

// --- Cuts ----------------------------------------------------------------------------------------
// A part for each object, and what that means.
struct NetCut {
  exec::Array<int> parts;  // of this rank's objects
  NetReport report;
};

// Collective. The options and the method are those of graphs, where a net of the average weight
// takes the place of an edge of the average weight. The same parts on any number of ranks and
// threads and on any space, as long as the numbers of objects are the same. Throws the same Error
// on all ranks for: offsets or pins that are not valid; an id that two objects have, or none;
// weights that are not valid; fixed parts that do not exist; memory that is refused.
EVENKEEL_API NetCut cut_nets(const Space& space, const Communicator& communicator, const Nets& nets,
                             const GraphCutOptions& options = {}, const ByGraph& method = {});

}  // namespace evenkeel
