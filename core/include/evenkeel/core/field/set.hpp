#pragma once

// A set: fields that move together, one position and the carried fields.
//
//   ek::set(position, ek::carry(velocity, mass, id), {.count = &owned, .weight = w})
//
// A Set refers to the application's variables, which must outlive it. It caches nothing: make one
// for each call that takes a set.

#include <evenkeel/core/field/number_source.hpp>
#include <evenkeel/core/field/payload.hpp>

#include <initializer_list>
#include <span>
#include <vector>

namespace evenkeel {

// --- Graphs --------------------------------------------------------------------------------------
// A graph as an application describes it: rows of neighbours, and properties of vertices and edges.

inline constexpr int most_graph_weights = 8;  // constraints
// The part number of a vertex without a part.
inline constexpr int no_part = -1;

// Properties of vertices and edges. Each is given like a field, in any container, and is only read.
// "Edge" means an entry of the columns here: each edge of the graph has an entry in each direction.
struct GraphOptions {
  // The number of vertices of this rank. They are the first entries of the arrays, which may be
  // longer. If it is not set, each row is a vertex, and the arrays of vertices have one entry per
  // row. A set replaces it by its own count.
  OwnedCount count = {};
  // The id of each vertex, which no other vertex on any rank has: integers of any type and value.
  // The columns then hold ids. Without ids, vertices are numbered from 0 on, rank after rank.
  NumberSource id = {};
  // The cost of each vertex, finite and not negative. Several numbers per vertex are constraints,
  // each of which is balanced. Without weights, all vertices cost the same.
  NumberSource weight = {};
  // The cost of cutting an edge, not negative. An edge of infinite weight must not be cut. Both
  // directions have the same weight. Without edge weights, all edges cost 1.
  NumberSource edge_weight = {};
  // Edges with a nonzero number must not be cut. Both directions have the same number.
  NumberSource uncuttable = {};
  // The relative cost of moving a vertex, such as its bytes. Without it, all vertices cost the same
  // to move. With a limit of memory, these are the bytes that count.
  NumberSource bytes = {};
  // Two or three coordinates per vertex.
  NumberSource position = {};
  // The part that a vertex must be in. With a negative number, it may be in any part. Integers.
  NumberSource fixed = {};
};

// The vertices of a rank and their neighbours. The neighbours of vertex v are columns[offsets[v]]
// to before columns[offsets[v + 1]]. Columns are ids, or numbers that count the vertices of all
// ranks, rank after rank. Entries of edges after the last offset are not read. A Graph refers to
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

// The limits of SetOptions::type and SetOptions::features, and the type of an object that has no
// type.
inline constexpr int most_types = 16, most_features = 8;
inline constexpr int no_type = -1;

// Further properties of the objects of a set. Each source is read when the set is used.
struct SetOptions {
  // The number of owned objects. If it is not set, all objects of the fields are owned.
  OwnedCount count = {};
  // The cost of each object. It replaces the measured cost.
  NumberSource weight = {};
  // The type of each object, from 0 to most_types - 1, or no_type. Give several integers per object
  // if it has several types at once. A Balancer learns the cost of each type.
  NumberSource type = {};
  // Up to most_features numbers per object on which its cost depends, such as its neighbours or the
  // particles in a cell. They are finite and not negative. A Balancer learns the cost of one unit
  // of each feature.
  NumberSource features = {};
  // The expected cost of each type; only their ratios count. They are used until costs are
  // measured, and are the weights of objects in a deterministic run. A type whose entry is 0 or
  // missing has no expected cost.
  std::vector<double> type_costs = {};
  // A number that identifies each object and never changes, unlike its place in the arrays. After
  // the application has made, removed or sorted objects, evenkeel finds the learned cost of an
  // object by its key. One integer per object, in a field that the set carries.
  NumberSource key = {};
  // Objects with the same number move together, even if they are on different ranks or in different
  // sets. An object with a negative number has no group. One integer per object.
  NumberSource group = {};
  // Objects with a nonzero number stay on their rank. One integer per object.
  NumberSource pinned = {};
  // The bytes of an object with all data that the application moves itself, such as the block to
  // which a small entry belongs. They replace the bytes of its fields and payloads in reports of
  // moves, in the journal and in the learned cost of a rebalance. If they differ from object to
  // object, give the mean over this rank's objects. If it is 0, fields and payloads count.
  std::int64_t bytes_per_object = 0;
  // The bytes of each object with all data that belongs to it, for a limit of memory
  // (Options::memory). If they are not given, `bytes_per_object` counts or, if that is 0, fields
  // and payloads. A GridBalancer needs one of these two.
  NumberSource bytes = {};
  // The graph that the method ByGraph cuts: a row for each owned object. It is read whenever
  // objects are placed and must then describe the present objects.
  std::optional<Graph> graph = std::nullopt;
  // If it is set, containers keep their memory, and new values are copied into it. A move that
  // needs more than the capacity is an Error.
  bool keep_allocation = false;
  // If it is at least 1, fields keep their memory as long as the objects fit into it. New memory
  // has room for this many times the number of objects. Views need `.count = &owned` for this. If
  // it is 0, each move allocates memory of the right size.
  double reserve = 0;
  // If it is set, Views with other holders may be replaced; the other holders keep the old values.
  bool allow_aliases = false;
};

namespace detail {
// The arguments of carry().
template <class T>
concept Carriable = KnownContainer<std::remove_cvref_t<T>> || is_named<std::remove_cvref_t<T>> ||
    (std::convertible_to<T, std::shared_ptr<const Payload>> &&
     !std::same_as<std::remove_cvref_t<T>, std::nullptr_t>);

}  // namespace detail

// The fields and payloads that a set carries; carry() makes them.
struct Carried {
  std::vector<Field> fields = {};
  std::vector<std::shared_ptr<const Payload>> payloads = {};

  Carried() = default;
  // Does not compile: it catches a field beside the position without carry().
  template <detail::Carriable T>
  Carried(T&&) {  // NOLINT: implicit, so that it is chosen
    static_assert(
        !detail::Carriable<T>,
        "evenkeel: put fields that move along into carry: (position, ek::carry(mass, id))");
  }
};

namespace detail {
template <class T>
void add_to(Carried& carried, T&& carries) {
  if constexpr (std::convertible_to<T, std::shared_ptr<const Payload>> &&
                !std::same_as<std::remove_cvref_t<T>, std::nullptr_t>)
    carried.payloads.push_back(std::forward<T>(carries));
  else
    carried.fields.push_back(field_of(std::forward<T>(carries)));
}
}  // namespace detail

// Fields and payloads that move with the position. Each argument is a payload, or a variable that
// can be a field.
template <class... Carries>
Carried carry(Carries&&... carries) {
  Carried carried;
  (detail::add_to(carried, std::forward<Carries>(carries)), ...);
  return carried;
}

// Fields that move together, with their payloads and options; see set().
class EVENKEEL_API Set {
 public:
  // See set().
  Set(Field position, Carried carried, const SetOptions& options);

  // The present number of owned objects.
  std::int64_t count() const;
  // The coordinates of the owned objects.
  FieldLayout position() const;
  // All fields that move; the first one has the position.
  const std::vector<Field>& fields() const noexcept { return fields_; }
  // Data of varying size that moves with the fields.
  const std::vector<std::shared_ptr<const Payload>>& payloads() const noexcept { return payloads_; }
  const SetOptions& options() const noexcept { return options_; }

  // Adds a companion: a field that moves with the set but does not belong to the application, such
  // as learned costs. Moves may always re-allocate it: .keep_allocation and .reserve do not apply
  // to it.
  void accompany(Field field);
  bool is_companion(std::size_t index) const noexcept {
    return index >= fields_.size() - companions_;
  }

  // The name of field `index` of fields() in messages: "The position 'x'" or "Field 2, 'mass',".
  std::string describe(std::size_t index) const;

 private:
  std::vector<Field> fields_;
  std::vector<std::shared_ptr<const Payload>> payloads_;
  std::size_t companions_ = 0;  // at the end of fields_
  SetOptions options_;
};

// A set of variables: one position, and the carried fields and payloads.
template <class Container>
Set set(Container&& position, Carried carried = {}, const SetOptions& options = {}) {
  return Set(field_of(std::forward<Container>(position)), std::move(carried), options);
}

// The sets of one call: one set, several in braces, or a range. A SetList refers to the sets, so
// use it only as an argument.
class SetList {
 public:
  // All three constructors refer to the given sets.
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
// The name is the message of the compiler if several fields follow a position without carry().
template <class... Sets>
concept FieldsGoIntoCarry = sizeof...(Sets) > 0 && (std::same_as<Sets, Set> && ...);
}  // namespace detail

// Throws an Error if the set is not valid. The position must be two or three floats or doubles per
// object, fields must have the right length, and the count must not be negative. Weights, types,
// features, keys, groups and pins must have the right type and number. This check suffices for
// functions that only read. Local: vote on the result before a collective call.
EVENKEEL_API void check(const Set& set);

}  // namespace evenkeel
