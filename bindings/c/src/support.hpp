#pragma once

// Errors, handles, options, fields and sets, which all functions of the C interface share.

#include <evenkeel/c.h>

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/error.hpp>
#include <evenkeel/evenkeel.hpp>

#include <memory>
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
template <unsigned number>
struct Handle {
  static constexpr unsigned of_type = 0x65760000U + number;
  unsigned type = of_type;
  ~Handle() { type = 0; }
  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
};

template <class T>
T& live(T* handle, const char* name) {
  T& given = required(handle, name);
  if (given.type != T::of_type)
    refuse(std::string("This is no ") + name + ", or it has been freed.",
           std::string("Give a handle that ek_..._create has made, before it is freed."));
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
Options options_of(const char* text);

// --- Fields --------------------------------------------------------------------------------------

// A field that is not valid is an Error when its layout is asked for, which is before a vote. So
// all ranks get the Error.
void check(const ek_field& field);
Field field_of(ek_field* field);
Carried carried_of(ek_field* const* fields, int count);
Set set_of(const ek_set& set);
std::vector<Set> sets_of(const ek_set* sets, int count);
// The description of a field for the program.
ek_field as_field(const FieldLayout& at);

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

// The kernels of a facade, which it frees.
class Kernels {
 public:
  template <class Facade>
  ek_kernel* add(Facade& facade, const char* name, int phase) {
    all_.push_back(std::make_unique<ek_kernel>(
        facade.kernel(&required(name, "name of a kernel"), {.phase = phase})));
    return all_.back().get();
  }

 private:
  std::vector<std::unique_ptr<ek_kernel>> all_;
};

}  // namespace evenkeel::c

struct ek_monitor : evenkeel::c::Handle<2> {
  ek_monitor(const evenkeel::Communicator& ranks, const evenkeel::Options& options)
      : monitor(ranks, options) {}
  evenkeel::Monitor monitor;
  evenkeel::c::Kernels kernels;
};

struct ek_balancer : evenkeel::c::Handle<3> {
  ek_balancer(const evenkeel::Communicator& ranks, const evenkeel::Options& options)
      : balancer(ranks, options) {}
  evenkeel::Balancer balancer;
  evenkeel::c::Kernels kernels;
  std::string state;
};

struct ek_loan : evenkeel::c::Handle<4> {
  explicit ek_loan(evenkeel::Loan made) : loan(std::move(made)) {}
  evenkeel::Loan loan;
};
