#pragma once

// Errors, handles, options, fields and sets, which all functions of the C interface share.

#include <evenkeel/c.h>

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/error.hpp>
#include <evenkeel/evenkeel.hpp>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel::c {

inline constexpr const char* stage_name = "c";
inline constexpr Refusal refuse{stage_name};

// --- Errors --------------------------------------------------------------------------------------

// Keeps the Error for ek_message(), and returns its kind as a status.
int keep(const Error& error) noexcept;

// Calls function() and turns what it throws into a status.
template <class Function>
int guarded(Function&& function) noexcept {
  const stages::Status status =
      stages::attempt(stage_name, std::forward<Function>(function), ErrorKind::internal);
  return status.ok() ? EK_SUCCESS : keep(*status.error());
}

// A call-back of the program that fails returns a number other than 0.
inline void require_success(int returned, const char* what) {
  if (returned != 0)
    throw Error(ErrorKind::application, Where{stage_name},
                std::string("A ") + what + " returned " + std::to_string(returned) + '.',
                "Return 0 for success.");
}

template <class T>
T& required(T* pointer, const char* what) {
  if (pointer == nullptr)
    refuse(std::string("The ") + what + " is a null pointer.", "Give an address.");
  return *pointer;
}

// True if the structure is there, and has the size that it has in this version.
template <class T>
bool is_known(const T* given) noexcept {
  return given != nullptr && given->size == sizeof(T);
}
template <class T>
const T& known(const T* given, const char* name) {
  const T& value = required(given, name);
  if (!is_known(given))
    refuse(std::string("The size of an ") + name + " is " + std::to_string(value.size) +
               ", but it has " + std::to_string(sizeof(T)) + " bytes in this version.",
           std::string("Set .size to sizeof(") + name + ").");
  return value;
}

// --- Handles -------------------------------------------------------------------------------------

// Every handle begins with the number of its type, which is cleared when the handle is freed.
struct AnyHandle {
  unsigned type;
};
template <unsigned number>
struct Handle : AnyHandle {
  static constexpr unsigned of_type = 0x65760000U + number;
  Handle() : AnyHandle{of_type} {}
  ~Handle() { type = 0; }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
};

[[noreturn]] inline void refuse_handle(const std::string& name) {
  refuse("This is no " + name + ", or it has been freed.",
         "Give a handle that ek_..._create has made, before it is freed.");
}
template <class T>
T& live(T* handle, const char* name) {
  T& given = required(handle, name);
  if (given.type != T::of_type) refuse_handle(name);
  return given;
}
template <class T>
const T& live(const T* handle, const char* name) {
  return live(const_cast<T*>(handle), name);
}

// --- Life ----------------------------------------------------------------------------------------

void start_kokkos();
// Collective.
Communicator communicator_of(int fortran_handle);
// The options of a text. Entries with keys of `others` are left out, and their values set there.
using OtherOptions = std::vector<std::pair<std::string, std::optional<std::string>>>;
Options options_of(const char* text, OtherOptions* others = nullptr);

// Collective. Calls make() on all ranks, which must all succeed.
template <class Make>
void together(const Communicator& ranks, const Make& make) {
  stages::vote(ranks, stages::attempt(stage_name, make));
}

// --- Fields --------------------------------------------------------------------------------------

// A field that is not valid is an Error when its layout is asked for, which is before a vote. So
// all ranks get the Error.
void check(const ek_field& field);
Field field_of(ek_field* field);
Carried carried_of(ek_field* const* fields, int count);
Set set_of(const ek_set* set);
std::vector<Set> sets_of(const ek_set* sets, int count);
// An entry that may be missing. The required one is not valid if it is missing.
NumberSource numbers_of(ek_field* field);
NumberSource required_numbers(ek_field* field);
// A graph that is not valid has no vertices, and fields that are not valid.
Graph graph_of(const ek_graph* graph);
// The description of a field for the program.
ek_field as_field(const FieldLayout& at);

// --- Calls ---------------------------------------------------------------------------------------

inline StepOptions step_options(int may_move, int changed) {
  return {.may_move = may_move != 0, .changed = changed != 0};
}
// The method of a text such as "graph fast 1.05"; the usual one for null.
ByGraph graph_method(const char* text);

// Makes a Monitor or a balancer by options_from(ranks, text).
template <class Made, class OptionsFrom>
int create(int communicator, const char* text, Made** made, const OptionsFrom& options_from) {
  return guarded([&] {
    required(made, "address for the handle");
    *made = nullptr;
    start_kokkos();
    Communicator ranks = communicator_of(communicator);
    decltype(options_from(ranks, text)) options;
    together(ranks, [&] { options = options_from(ranks, text); });
    *made = std::make_unique<Made>(std::move(ranks), options).release();
  });
}

// An empty list with room for `count` entries. It has an address even if it stays empty, because a
// pointer of Fortran to an empty list needs one.
template <class T>
std::vector<T> list_for(std::size_t count) {
  std::vector<T> list;
  list.reserve(count + 1);
  return list;
}

// Writes the report of a cut of a graph or of nets. `report` may be null.
template <class Report>
void write_report(const Report& from, double cut, std::int64_t cut_edges, ek_cut_report* report) {
  if (report == nullptr) return;
  const auto uneven = std::ranges::max_element(from.lambda) - from.lambda.begin();
  report->parts = from.parts;
  report->empty = from.empty;
  report->cut_edges = cut_edges;
  report->cut = cut;
  report->lambda = from.lambda[static_cast<std::size_t>(uneven)];
  report->bound = from.bound[static_cast<std::size_t>(uneven)];
  report->moved = from.moved;
  report->moved_weight = from.moved_weight;
}

}  // namespace evenkeel::c

namespace evenkeel {

// Memory that the program owns. It is replaced if the program has call-backs for that.
template <>
struct FieldTraits<ek_field> {
  using Container = ek_field;
  using Element = std::byte;

  // New memory, which is released unless it is committed.
  class Staged {
   public:
    Staged(Container& field, const Room& room) : field_(&field), like_(FieldTraits::layout(field)) {
      if (like_.components == 0) like_.components = room.components;
      like_.count = room.count;
      like_.capacity = std::max(room.count, room.capacity);
      const std::int64_t bytes = like_.capacity * like_.bytes_per_object();
      like_.data =
          field.allocate(field.owner, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)));
      if (like_.data == nullptr)
        throw Error(ErrorKind::out_of_memory, Where{c::stage_name},
                    "No memory for " + std::to_string(bytes) + " bytes of " + label(field) + '.',
                    "Use fewer objects per rank, or more ranks.");
      like_.object_stride_bytes = like_.bytes_per_object();
      like_.component_stride_bytes = like_.element_bytes;
    }
    Staged(Staged&& other) noexcept
        : field_(other.field_),
          like_(other.like_),
          is_owner_(std::exchange(other.is_owner_, false)) {}
    Staged& operator=(Staged&&) = delete;
    ~Staged() {
      if (is_owner_) field_->release(field_->owner, like_.data);
    }
    FieldLayout& layout() noexcept { return like_; }
    void commit() noexcept {
      field_->replace(field_->owner, like_.data);
      field_->data = like_.data;
      field_->components = like_.components;
      field_->count = like_.count;
      field_->capacity = like_.capacity;
      field_->object_stride = field_->component_stride = 0;
      is_owner_ = false;
    }

   private:
    Container* field_;
    FieldLayout like_;
    bool is_owner_ = true;
  };

  static FieldLayout layout(Container& field);
  static std::string label(const Container& field) {
    return field.name != nullptr ? field.name : "a field";
  }
  static Ownership ownership(const Container& field) {
    return field.allocate != nullptr ? Ownership::sole : Ownership::borrowed;
  }
  static Staged allocate(const Container& field, const Room& room) {
    return Staged(const_cast<Container&>(field), room);
  }
  static FieldLayout staged_layout(Staged& staged) { return staged.layout(); }
  static void commit(Container&, Staged& staged) noexcept { staged.commit(); }
  static void resized(Container& field, std::int64_t count) noexcept { field.count = count; }
};

}  // namespace evenkeel

struct ek_kernel : evenkeel::c::Handle<1> {
  explicit ek_kernel(evenkeel::Kernel kernel_) : kernel(std::move(kernel_)) {}
  evenkeel::Kernel kernel;
};

namespace evenkeel::c {

// A Monitor or a balancer with its kernels.
template <unsigned number, class Of>
struct Facade : Handle<number> {
  template <class... Options>
  explicit Facade(Communicator all, const Options&... options)
      : ranks(std::move(all)), facade(ranks, options...) {}
  Communicator ranks;
  Of facade;
  std::deque<ek_kernel> kernels;  // their addresses do not change
  std::string state;
};

}  // namespace evenkeel::c

struct ek_monitor : evenkeel::c::Facade<2, evenkeel::Monitor> {
  using Facade::Facade;
};
struct ek_balancer : evenkeel::c::Facade<3, evenkeel::Balancer> {
  using Facade::Facade;
};
struct ek_loan : evenkeel::c::Handle<4> {
  explicit ek_loan(evenkeel::Loan made) : loan(std::move(made)) {}
  evenkeel::Loan loan;
};

struct ek_block_balancer : evenkeel::c::Facade<5, evenkeel::BlockBalancer> {
  using Facade::Facade;
  std::string reason;
  std::vector<ek_block_move> map, leaving, arriving;
  ek_block_proposal proposal = {};
};
struct ek_graph_balancer : evenkeel::c::Facade<6, evenkeel::GraphBalancer> {
  using Facade::Facade;
  std::vector<int> parts;
  ek_graph_proposal proposal = {};
};
struct ek_grid_balancer : evenkeel::c::Facade<7, evenkeel::GridBalancer> {
  using Facade::Facade;
  std::optional<evenkeel::Domains> proposed;
  std::vector<ek_cells> leaving, entering, staying;
  ek_cell_moves moves = {};
  std::vector<int> neighbours;
};

struct ek_directory : evenkeel::c::Handle<8> {
  explicit ek_directory(evenkeel::Communicator all) : ranks(std::move(all)) {}
  evenkeel::Communicator ranks;
  evenkeel::IdDirectory directory;
};
struct ek_halo : evenkeel::c::Handle<9> {
  ek_halo(ek_balancer& around, evenkeel::Halo made) : balancer(&around), halo(std::move(made)) {}
  ek_balancer* balancer;
  evenkeel::Halo halo;
};
