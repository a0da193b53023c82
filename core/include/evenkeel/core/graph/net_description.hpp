#pragma once

// Nets as an application describes them: rows of objects that belong together, and what is known of
// objects and nets.

#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/number_source.hpp>

#include <utility>

namespace evenkeel {

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

}  // namespace evenkeel
