#pragma once

// A set: fields that move together, one position and what it carries.
//
//   ek::set(position, ek::carry(velocity, mass, id), {.count = &owned, .weight = w})
//
// A Set refers to the application's variables and lives no longer than they do; it is made anew for
// each call that takes one.

#include <evenkeel/core/field/number_source.hpp>
#include <evenkeel/core/field/payload.hpp>

#include <initializer_list>
#include <span>
#include <vector>

namespace evenkeel {

// --- Graphs --------------------------------------------------------------------------------------
// A graph as an application describes it: rows of neighbours, and what is known of vertices and
// edges.

inline constexpr int most_graph_weights = 8;  // constraints
// Of a vertex that is in no part.
inline constexpr int no_part = -1;

// What is known of vertices and edges. Each is given like a field, in any container, and is only
// read. "Edge" is an entry of the columns here: each edge of the graph is one in both directions.
struct GraphOptions {
  // How many vertices this rank has, at the front of arrays that may be longer. Unset: as many as
  // there are rows, and every array has just as many entries. In a set: that of the set.
  OwnedCount count = {};
  // A number by which each vertex is known on all ranks: integers of any type and value, no two the
  // same. The columns then hold these. Unset: vertices are numbered, rank after rank.
  NumberSource id = {};
  // What each vertex costs, finite and not negative. Several numbers per vertex are constraints,
  // each of which is balanced. Unset: all cost the same.
  NumberSource weight = {};
  // What it costs to cut an edge, finite and not negative; infinity: it must not be cut. Both
  // directions have the same. Unset: all cost 1.
  NumberSource edge_weight = {};
  // Edges with a nonzero number must not be cut. Both directions have the same.
  NumberSource uncuttable = {};
  // What it costs to move a vertex, relative to the others: its bytes, say. Unset: all the same.
  NumberSource bytes = {};
  // Two or three coordinates per vertex.
  NumberSource position = {};
  // The part that a vertex must be in; a negative number: any. Integers.
  NumberSource fixed = {};
};

// The vertices of a rank: their neighbours are columns[offsets[v]] to before
// columns[offsets[v + 1]], by numbers that count the vertices of all ranks, rank after rank, or by
// ids. What is told of edges beyond what the offsets say is not read. A description: it refers to
// the application's variables, which are read when it is used.
class EVENKEEL_API Graph {
 public:
  // See graph().
  Graph(NumberSource offsets, NumberSource columns, GraphOptions options = {})
      : offsets_(std::move(offsets)), columns_(std::move(columns)), options_(std::move(options)) {}

  const NumberSource& offsets() const noexcept { return offsets_; }
  const NumberSource& columns() const noexcept { return columns_; }
  const GraphOptions& options() const noexcept { return options_; }

 private:
  NumberSource offsets_, columns_;
  GraphOptions options_;
};

// The description of a graph, for a set or for cut_graph().
inline Graph graph(NumberSource offsets, NumberSource columns, GraphOptions options = {}) {
  return {std::move(offsets), std::move(columns), std::move(options)};
}

// --- Sets ----------------------------------------------------------------------------------------

// What objects may be said to be, by SetOptions::type and SetOptions::features.
inline constexpr int most_types = 16, most_features = 8;
inline constexpr int no_type = -1;

// What else is said of the objects of a set.
struct SetOptions {
  OwnedCount count = {};
  // What each object costs, where the application knows better than the measured default.
  NumberSource weight = {};
  // What each object is, from 0 to most_types - 1; no_type: nothing. Several integers per object
  // where it is several things at once. What a type costs is learned.
  NumberSource type = {};
  // Up to most_features numbers per object that its cost depends on: neighbours, particles in a
  // cell. Finite and not negative. What a unit of each costs is learned.
  NumberSource features = {};
  // What is thought of the costs of types, relative to each other, before anything is measured;
  // also what objects weigh in a deterministic run. 0, or beyond the end: nothing is thought.
  std::vector<double> type_costs = {};
  // A number by which each object is known for good, unlike its place in the arrays: what has been
  // learned of its cost follows it when the application makes, removes or sorts objects. One
  // integer per object, in a field that the set carries.
  NumberSource key = {};
  // Objects with the same number move together, whatever their ranks and sets; a negative number
  // means alone. One integer per object.
  NumberSource group = {};
  // Objects with a nonzero number stay on their rank. One integer per object.
  NumberSource pinned = {};
  // How the objects are connected, which the method ByGraph cuts: a row for each owned object. It
  // is read whenever objects are placed and must describe them as they then are.
  std::optional<Graph> graph = std::nullopt;
  // Pointers stay as they are and new values are copied back, as far as the capacity reaches.
  bool keep_allocation = false;
  // At least 1: memory is kept as long as the objects fit into it, and then made anew with room for
  // this many times their number. Views need `.count = &owned` for it. 0: each move makes memory of
  // the right size.
  double reserve = 0;
  // Views that are also held elsewhere may be replaced; the other holders keep the old values.
  bool allow_aliases = false;
};

namespace detail {
// What belongs into carry().
template <class T>
concept Carriable = KnownContainer<std::remove_cvref_t<T>> || is_named<std::remove_cvref_t<T>> ||
    (std::convertible_to<T, std::shared_ptr<const Payload>> &&
     !std::same_as<std::remove_cvref_t<T>, std::nullptr_t>);
}  // namespace detail

// Fields and payloads on their way into a set; carry() makes them.
struct Carried {
  std::vector<Field> fields = {};
  std::vector<std::shared_ptr<const Payload>> payloads = {};

  Carried() = default;
  // Does not compile: a field beside the position without carry().
  template <detail::Carriable T>
  Carried(T&&) {  // NOLINT: implicit, so that it is chosen
    static_assert(!detail::Carriable<T>,
                  "evenkeel: what moves along goes into carry: (position, ek::carry(mass, id))");
  }
};

namespace detail {
template <class T>
void add(Carried& carried, T&& carries) {
  if constexpr (std::convertible_to<T, std::shared_ptr<const Payload>> &&
                !std::same_as<std::remove_cvref_t<T>, std::nullptr_t>)
    carried.payloads.push_back(std::forward<T>(carries));
  else
    carried.fields.push_back(field_of(std::forward<T>(carries)));
}
}  // namespace detail

// What moves along with the position. Each argument is a variable that evenkeel knows as a field,
// or a payload.
template <class... Carries>
Carried carry(Carries&&... carries) {
  Carried carried;
  (detail::add(carried, std::forward<Carries>(carries)), ...);
  return carried;
}

class EVENKEEL_API Set {
 public:
  // See set().
  Set(Field position, Carried carried, const SetOptions& options);

  // The number of owned objects, right now.
  std::int64_t count() const;
  // The coordinates of the owned objects.
  FieldLayout position() const;
  // All fields that move, the position's first.
  const std::vector<Field>& fields() const noexcept { return fields_; }
  // Data that moves with them and is not of one size.
  const std::vector<std::shared_ptr<const Payload>>& payloads() const noexcept { return payloads_; }
  const SetOptions& options() const noexcept { return options_; }

  // Adds a field that travels along but does not belong to the application, such as weights kept
  // for it. It is re-allocated whatever the options say of the application's own fields.
  void accompany(Field field);
  bool is_companion(std::size_t index) const noexcept {
    return index >= fields_.size() - companions_;
  }

  // "the position 'x'" or "field 2, 'mass',": how messages name field `index` of fields().
  std::string describe(std::size_t index) const;

 private:
  std::vector<Field> fields_;
  std::vector<std::shared_ptr<const Payload>> payloads_;
  std::size_t companions_ = 0;  // at the end of fields_
  SetOptions options_;
};

// A set of variables: one position, and what it carries.
template <class Container>
Set set(Container&& position, Carried carried = {}, const SetOptions& options = {}) {
  return Set(field_of(std::forward<Container>(position)), std::move(carried), options);
}

// The sets of one call: one set, several in braces, or a range of them. It refers to its sets, for
// the duration of the call.
class SetList {
 public:
  // From one set, several in braces, or a range.
  SetList(const Set& one) : sets_(&one, 1) {}  // NOLINT: implicit, as an argument
  SetList(std::initializer_list<Set> sets)     // NOLINT: implicit, as an argument
      : sets_(sets.begin(), sets.size()) {}
  template <std::convertible_to<std::span<const Set>> Range>
  SetList(const Range& sets) : sets_(sets) {}  // NOLINT: implicit, as an argument
  // The sets as a span.
  operator std::span<const Set>() const noexcept { return sets_; }  // NOLINT: implicit

 private:
  std::span<const Set> sets_;
};

namespace detail {
// The name is the compiler's message where several fields stand beside a position.
template <class... Sets>
concept FieldsGoIntoCarry = sizeof...(Sets) > 0 && (std::same_as<Sets, Set> && ...);
}  // namespace detail

// Throws an Error when the set makes no sense: a position that is not two or three floats or
// doubles, a field of the wrong length, a count that does not fit, weights that are not numbers.
// Sufficient for functions that only read. Local: vote on it before anything collective.
EVENKEEL_API void check(const Set& set);

}  // namespace evenkeel
