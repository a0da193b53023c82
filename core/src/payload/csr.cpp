#include "field/numbers.hpp"
#include "payload/copy_segments.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/core/payload/csr.hpp>
#include <evenkeel/core/set.hpp>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/payload";

[[noreturn]] void refuse(const std::string& problem, const std::string& remedy) {
  throw Error(ErrorKind::bad_input, Where{stage_name}, problem, remedy);
}

void require_offsets(ScalarType scalar) {
  constexpr ScalarType known[] = {ScalarType::int32, ScalarType::int64, ScalarType::uint32,
                                  ScalarType::uint64};
  if (std::find(std::begin(known), std::end(known), scalar) == std::end(known))
    refuse("Offsets are of type " + std::string(name_of(scalar)) + '.',
           "Use integers of 32 or 64 bits, signed or not.");
}

// Calls function(T()) with the integer type of offsets.
template <class Function>
void with_offsets(ScalarType scalar, const Function& function) {
  if (scalar == ScalarType::int32) return function(std::int32_t());
  if (scalar == ScalarType::int64) return function(std::int64_t());
  if (scalar == ScalarType::uint32) return function(std::uint32_t());
  function(std::uint64_t());
}

constexpr const char* kernels = "evenkeel::payload::offsets";

template <class T>
struct WriteOffsets {
  const std::int64_t* numbers;
  char* offsets;
  std::int64_t stride;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    *reinterpret_cast<T*>(offsets + i * stride) = static_cast<T>(numbers[i]);
  }
};

// Writes where the values of each object begin, and the end of all, as offsets.
void write(const Space& space, const FieldLayout& at, const exec::Array<std::int64_t>& numbers,
           std::int64_t greatest) {
  with_offsets(at.scalar, [&]<class T>(T) {
    if (!std::in_range<T>(greatest))
      throw Error(ErrorKind::bad_input, Where{stage_name},
                  "Offsets of type " + std::string(name_of(at.scalar)) + " cannot count " +
                      std::to_string(greatest) + " values.",
                  "Use 64-bit offsets.");
    exec::for_each(
        space, kernels, numbers.size(),
        WriteOffsets<T>{numbers.data(), static_cast<char*>(at.data), at.object_stride_bytes});
    space.fence(kernels);
  });
}

struct Scale {
  const std::int64_t* numbers;
  std::int64_t factor;
  std::int64_t* scaled;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { scaled[i] = numbers[i] * factor; }
};

exec::Array<std::int64_t> scaled(const Space& space, const exec::Array<std::int64_t>& numbers,
                                 std::int64_t factor) {
  exec::Array<std::int64_t> scaled(space, kernels, numbers.size());
  exec::for_each(space, kernels, numbers.size(), Scale{numbers.data(), factor, scaled.data()});
  space.fence(kernels);
  return scaled;
}

// The number of values of each object, and 0 behind the last.
struct ValuesOf {
  const std::int64_t* sizes;
  std::int64_t objects, unit;
  std::int64_t* values;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    values[i] = i < objects ? sizes[i] / unit : 0;
  }
};

struct Starts {
  exec::Array<std::int64_t> numbers;  // of values
  std::int64_t end;                   // the total
};

// From sizes to the start of each object's values, and the end of all.
Starts starts_of(const Space& space, std::span<const std::int64_t> sizes, std::int64_t unit) {
  const std::int64_t objects = std::ssize(sizes);
  Starts starts{{space, kernels, objects + 1}, 0};
  exec::for_each(space, kernels, objects + 1,
                 ValuesOf{sizes.data(), objects, unit, starts.numbers.data()});
  starts.end = exec::sum_up(starts.numbers);
  space.fence(kernels);
  return starts;
}

struct SizeOf {
  const std::int64_t* starts;
  std::int64_t unit;
  std::int64_t* sizes;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    sizes[i] = (starts[i + 1] - starts[i]) * unit;
  }
};

struct IsFallen {
  const std::int64_t* starts;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return starts[i + 1] < starts[i]; }
};

class StagedCsr final : public StagedPayload {
 public:
  StagedCsr(const Field& offsets, const Field& values, const exec::Array<std::int64_t>& old_starts,
            const Starts& new_starts)
      : memory_(values.layout().memory),
        space_(Space::where(memory_)),
        unit_(values.layout().bytes_per_object()),
        from_(static_cast<const std::byte*>(values.layout().data)),
        old_starts_(scaled(space_, old_starts, unit_)),
        new_starts_(scaled(space_, new_starts.numbers, unit_)),
        offsets_(offsets.stage(space_, new_starts.numbers.size(), Placement::replace)),
        values_(values.stage(space_, new_starts.end, Placement::replace)),
        to_(static_cast<std::byte*>(values_.layout().data)) {
    write(space_, offsets_.layout(), new_starts.numbers, new_starts.end);
  }

  void pack(const PayloadPiece& piece, std::byte* message) override {
    copy_segments(space_, unit_, message, {piece.starts, nullptr, piece.base}, from_,
                  {old_starts_.data(), piece.objects, 0}, piece.count);
  }
  void unpack(const PayloadPiece& piece, const std::byte* message) override {
    copy_segments(space_, unit_, to_, {new_starts_.data(), piece.objects, 0}, message,
                  {piece.starts, nullptr, piece.base}, piece.count);
  }
  void keep(const std::int64_t* objects, const std::int64_t* places, std::int64_t count) override {
    copy_segments(space_, unit_, to_, {new_starts_.data(), places, 0}, from_,
                  {old_starts_.data(), objects, 0}, count);
  }
  void commit() noexcept override {
    offsets_.commit();
    values_.commit();
  }

 private:
  MemoryKind memory_;
  Space space_;
  std::int64_t unit_;
  const std::byte* from_;
  exec::Array<std::int64_t> old_starts_, new_starts_;  // in bytes
  StagedField offsets_, values_;
  std::byte* to_;
};

class Csr final : public Payload {
 public:
  Csr(Field offsets, Field values) : offsets_(offsets), values_(values) {}

  std::string label() const override { return values_.label(); }
  const void* container() const override { return values_.container(); }
  MemoryKind memory() const override { return values_.layout().memory; }
  std::int64_t unit_bytes() const override { return values_.layout().bytes_per_object(); }
  void check(std::int64_t count, const SetOptions& options) const override;

  void write_sizes(std::span<std::int64_t> sizes) const override {
    const Space space = Space::where(memory());
    const exec::Array<std::int64_t> starts = old_starts(std::ssize(sizes));
    exec::for_each(space, kernels, std::ssize(sizes),
                   SizeOf{starts.data(), unit_bytes(), sizes.data()});
    space.fence(kernels);
  }
  std::unique_ptr<StagedPayload> stage(std::int64_t count,
                                       std::span<const std::int64_t> sizes) const override {
    return std::make_unique<StagedCsr>(offsets_, values_, old_starts(count),
                                       starts_of(Space::where(memory()), sizes, unit_bytes()));
  }

 private:
  // Empty offsets mean that there are no objects.
  exec::Array<std::int64_t> old_starts(std::int64_t count) const {
    const FieldLayout at = offsets_.layout();
    const Space space = Space::where(at.memory);
    constexpr std::int64_t none = 0;
    if (at.count == 0) return {space, kernels, std::span(&none, 1)};
    return read_integers(space, at, count + 1);
  }
  void check_offsets(std::int64_t count) const;

  Field offsets_, values_;
};

void Csr::check(std::int64_t count, const SetOptions& options) const {
  const FieldLayout offsets = offsets_.layout(), values = values_.layout();
  for (const Field* field : {&offsets_, &values_}) {
    const Ownership ownership = field->ownership();
    if (ownership == Ownership::borrowed ||
        (ownership == Ownership::shared && !options.allow_aliases))
      refuse(std::string("The memory of '") + field->label() +
                 "' does not belong to its container alone.",
             "Offsets and values are re-allocated: give containers that own their memory.");
  }
  if (values.components < 1)
    refuse("The values '" + values_.label() + "' were never given extents.",
           "Make them with 0 values and the components that they have elsewhere.");
  if (offsets.components != 1)
    refuse("An offset has several components.", "Give one integer per offset.");
  require_offsets(offsets.scalar);
  if (offsets.memory != values.memory)
    refuse("Offsets are in " + std::string(name_of(offsets.memory)) + " memory and values in " +
               name_of(values.memory) + " memory.",
           "Keep both in the same memory.");
  if (!values.is_packed() && values.count > 0)
    refuse("The values '" + values_.label() + "' of a payload do not lie side by side.",
           "Give one array of values.");
  if (offsets.count < count + 1 && (count > 0 || offsets.count > 0))
    refuse("There are " + std::to_string(offsets.count) + " offsets for " + std::to_string(count) +
               " objects.",
           "Give one more offset than there are objects.");
  check_offsets(count);
}

void Csr::check_offsets(std::int64_t count) const {
  const exec::Array<std::int64_t> starts = old_starts(count);
  const std::int64_t pairs = starts.size() - 1;
  const bool rise = exec::first_that(starts.space(), pairs, IsFallen{starts.data()}) == pairs;
  std::int64_t first = 0, last = 0;
  starts.fetch(0, {&first, 1});
  starts.fetch(starts.size() - 1, {&last, 1});
  if (first != 0 || !rise)
    refuse("The offsets '" + offsets_.label() + "' do not rise from 0.",
           "Let the values of object i begin at offset i.");
  if (last > values_.layout().count)
    refuse("The offsets '" + offsets_.label() + "' end at " + std::to_string(last) +
               " and there are " + std::to_string(values_.layout().count) + " values.",
           "Let the last offset be the number of values.");
}

}  // namespace

std::shared_ptr<const Payload> csr(Field offsets, Field values) {
  return std::make_shared<Csr>(offsets, values);
}

}  // namespace evenkeel
