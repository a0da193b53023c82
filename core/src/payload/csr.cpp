#include "field/numbers.hpp"
#include "payload/copy_segments.hpp"

#include <evenkeel/backends/error.hpp>
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

template <class T>
FieldLayout on_host(std::vector<T>& values, const FieldLayout& like) {
  FieldLayout packed = packed_layout(values.data(), std::ssize(values), std::ssize(values));
  packed.scalar = like.scalar;
  return packed;
}

void write(const FieldLayout& at, const std::vector<std::int64_t>& numbers) {
  with_offsets(at.scalar, [&]<class T>(T) {
    if (!std::in_range<T>(numbers.back()))
      throw Error(ErrorKind::bad_input, Where{stage_name},
                  "Offsets of type " + std::string(name_of(at.scalar)) + " cannot count " +
                      std::to_string(numbers.back()) + " values.",
                  "Use 64-bit offsets.");
    std::vector<T> values;
    values.reserve(numbers.size());
    for (const std::int64_t number : numbers) values.push_back(static_cast<T>(number));
    copy_objects(Space::where(at.memory), at, on_host(values, at), std::ssize(values));
  });
}

// A list where the payload's space reaches it.
class List {
 public:
  List(MemoryKind kind, std::vector<std::int64_t> numbers) : numbers_(std::move(numbers)) {
    if (kind == MemoryKind::host) return;
    const auto bytes = std::ssize(numbers_) * static_cast<std::int64_t>(sizeof(std::int64_t));
    const Space space = Space::where(kind);
    copy_ = Buffer("evenkeel::payload::offsets", kind, bytes);
    copy_bytes(space, copy_.data(), kind, numbers_.data(), MemoryKind::host, bytes);
    space.fence("evenkeel::payload::offsets");
  }
  const std::int64_t* data() const {
    return copy_.data() != nullptr ? reinterpret_cast<const std::int64_t*>(copy_.data())
                                   : numbers_.data();
  }

 private:
  std::vector<std::int64_t> numbers_;
  Buffer copy_;
};

std::vector<std::int64_t> scaled(std::vector<std::int64_t> numbers, std::int64_t factor) {
  for (std::int64_t& number : numbers) number *= factor;
  return numbers;
}

// From sizes to where each begins, and the end of all.
std::vector<std::int64_t> starts_of(std::span<const std::int64_t> sizes, std::int64_t unit) {
  std::vector<std::int64_t> starts;
  starts.reserve(sizes.size() + 1);
  starts.push_back(0);
  for (const std::int64_t size : sizes) starts.push_back(starts.back() + size / unit);
  return starts;
}

class StagedCsr final : public StagedPayload {
 public:
  StagedCsr(const Field& offsets, const Field& values, const std::vector<std::int64_t>& old_starts,
            const std::vector<std::int64_t>& new_starts)
      : memory_(values.layout().memory),
        space_(Space::where(memory_)),
        unit_(values.layout().bytes_per_object()),
        from_(static_cast<const std::byte*>(values.layout().data)),
        old_starts_(memory_, scaled(old_starts, unit_)),
        new_starts_(memory_, scaled(new_starts, unit_)),
        offsets_(offsets.stage(space_, std::ssize(new_starts), Placement::replace)),
        values_(values.stage(space_, new_starts.back(), Placement::replace)),
        to_(static_cast<std::byte*>(values_.layout().data)) {
    write(offsets_.layout(), new_starts);
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
  List old_starts_, new_starts_;
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
    const std::vector<std::int64_t> starts = old_starts(std::ssize(sizes));
    const std::int64_t unit = unit_bytes();
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = (starts[i + 1] - starts[i]) * unit;
  }
  std::unique_ptr<StagedPayload> stage(std::int64_t count,
                                       std::span<const std::int64_t> sizes) const override {
    return std::make_unique<StagedCsr>(offsets_, values_, old_starts(count),
                                       starts_of(sizes, unit_bytes()));
  }

 private:
  // Offsets that were never filled stand for no objects.
  std::vector<std::int64_t> old_starts(std::int64_t count) const {
    if (offsets_.layout().count == 0) return {0};
    const FieldLayout at = offsets_.layout();
    return read_integers(Space::where(at.memory), at, count + 1);
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
      refuse(std::string("'") + field->label() + "' is not its container's alone.",
             "Offsets and values are re-allocated: give containers that own their memory.");
  }
  if (values.components < 1)
    refuse("The values '" + values_.label() + "' were never given extents.",
           "Make them with 0 values and the components that they have elsewhere.");
  if (offsets.components != 1)
    refuse("An offset has several components.", "Give one integer each.");
  require_offsets(offsets.scalar);
  if (offsets.memory != values.memory)
    refuse("Offsets are in " + std::string(name_of(offsets.memory)) + " memory and values in " +
               name_of(values.memory) + " memory.",
           "Keep both in one.");
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
  const std::vector<std::int64_t> starts = old_starts(count);
  if (starts.front() != 0 || !std::is_sorted(starts.begin(), starts.end()))
    refuse("The offsets '" + offsets_.label() + "' do not rise from 0.",
           "Let the values of object i begin at offset i.");
  if (starts.back() > values_.layout().count)
    refuse("The offsets '" + offsets_.label() + "' end at " + std::to_string(starts.back()) +
               " and there are " + std::to_string(values_.layout().count) + " values.",
           "Let the last offset be the number of values.");
}

}  // namespace

std::shared_ptr<const Payload> csr(Field offsets, Field values) {
  return std::make_shared<Csr>(offsets, values);
}

}  // namespace evenkeel
