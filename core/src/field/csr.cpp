#include "field/numbers.hpp"
#include "field/stage.hpp"

#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/core/field/payload.hpp>
#include <evenkeel/core/field/set.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace evenkeel {

namespace {

void require_offsets(ScalarType scalar) {
  constexpr ScalarType known[] = {ScalarType::int32, ScalarType::int64, ScalarType::uint32,
                                  ScalarType::uint64};
  if (std::find(std::begin(known), std::end(known), scalar) == std::end(known))
    refuse_payload("Offsets are of type " + std::string(name_of(scalar)) + '.',
                   "Use integers of 32 or 64 bits, signed or not.");
}

// Calls function(T()), where T is the integer type of the offsets.
template <class Function>
void with_offsets(ScalarType scalar, const Function& function) {
  if (scalar == ScalarType::int32) return function(std::int32_t());
  if (scalar == ScalarType::int64) return function(std::int64_t());
  if (scalar == ScalarType::uint32) return function(std::uint32_t());
  function(std::uint64_t());
}

// --- Segments of different lengths ---------------------------------------------------------------

constexpr const char* segments_label = "evenkeel::payload::copy_segments";

// Segment k has bytes starts[i] - base to starts[i + 1] - base, where i is objects[k]. If `objects`
// is null, i is k.
struct Segments {
  const std::int64_t* starts;
  const std::int64_t* objects;
  std::int64_t base;
};

struct SegmentBytes {
  std::int64_t begin, bytes;
};

KOKKOS_FUNCTION SegmentBytes piece_of(const Segments& segments, std::int64_t k) {
  const std::int64_t i = segments.objects == nullptr ? k : segments.objects[k];
  const std::int64_t begin = segments.starts[i];
  return {begin - segments.base, segments.starts[i + 1] - begin};
}

// Copies a whole segment per index, on hosts.
struct CopyOne {
  std::byte* to;
  const std::byte* from;
  Segments to_segments, from_segments;

  void operator()(std::int64_t k) const {
    const SegmentBytes source = piece_of(from_segments, k), target = piece_of(to_segments, k);
    const std::int64_t bytes = source.bytes < target.bytes ? source.bytes : target.bytes;
    if (bytes > 0)
      std::memcpy(to + target.begin, from + source.begin, static_cast<std::size_t>(bytes));
  }
};

// Each team of threads copies some of the segments, one after the other. Each thread of a team
// copies one word at a time.
template <class Instance, class Word>
struct CopyByTeam {
  std::byte* to;
  const std::byte* from;
  Segments to_segments, from_segments;
  std::int64_t count;

  KOKKOS_FUNCTION void operator()(const exec::TeamOf<Instance>& team) const {
    for (std::int64_t k = team.league_rank(); k < count; k += team.league_size()) {
      const SegmentBytes source = piece_of(from_segments, k), target = piece_of(to_segments, k);
      const std::int64_t bytes = source.bytes < target.bytes ? source.bytes : target.bytes;
      const std::int64_t words = bytes / static_cast<std::int64_t>(sizeof(Word));
      const auto* read = reinterpret_cast<const Word*>(from + source.begin);
      auto* write = reinterpret_cast<Word*>(to + target.begin);
      for (std::int64_t w = team.team_rank(); w < words; w += team.team_size()) write[w] = read[w];
    }
  }
};

template <class Word, class Instance>
void copy_by_team(const Instance& instance, std::byte* to, const Segments& to_segments,
                  const std::byte* from, const Segments& from_segments, std::int64_t count) {
  constexpr int threads = 64;
  constexpr std::int64_t teams = 1 << 16;  // at most: HIP counts threads by 32 bits
  exec::for_each_team(instance, segments_label, count < teams ? count : teams, threads, 0,
                      CopyByTeam<Instance, Word>{to, from, to_segments, from_segments, count});
}

template <class Instance>
void copy_all(const Instance& instance, std::int64_t unit, std::byte* to,
              const Segments& to_segments, const std::byte* from, const Segments& from_segments,
              std::int64_t count) {
  if constexpr (is_device<Instance>) {
    const auto addresses =
        reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
    const auto fits = [&](std::int64_t word) {
      return unit % word == 0 && addresses % static_cast<std::uintptr_t>(word) == 0;
    };
    if (fits(8))
      copy_by_team<std::uint64_t>(instance, to, to_segments, from, from_segments, count);
    else if (fits(4))
      copy_by_team<std::uint32_t>(instance, to, to_segments, from, from_segments, count);
    else
      copy_by_team<unsigned char>(instance, to, to_segments, from, from_segments, count);
  } else {
    static_cast<void>(unit);
    exec::for_each(instance, segments_label, count, CopyOne{to, from, to_segments, from_segments});
  }
}

// Copies segment k of `from` to segment k of `to`, for k in [0, count). The two have the same
// number of bytes. All starts are multiples of `unit`. `space` can access lists and data, and
// nothing overlaps. Does not block.
void copy_segments(const Space& space, std::int64_t unit, std::byte* to,
                   const Segments& to_segments, const std::byte* from,
                   const Segments& from_segments, std::int64_t count) {
  if (count == 0) return;
  with_space(space, [&](const auto& instance) {
    copy_all(instance, unit, to, to_segments, from, from_segments, count);
  });
}

// --- Offsets -------------------------------------------------------------------------------------

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

// Writes the offsets of a container: the begin of each object's values, then the end of all values.
void write(const Space& space, const FieldLayout& at, const exec::Array<std::int64_t>& numbers,
           std::int64_t greatest) {
  with_offsets(at.scalar, [&]<class T>(T) {
    if (!std::in_range<T>(greatest))
      refuse_payload("Offsets of type " + std::string(name_of(at.scalar)) + " cannot count " +
                         std::to_string(greatest) + " values.",
                     "Use 64-bit offsets.");
    exec::for_each(
        space, kernels, numbers.size(),
        WriteOffsets<T>{numbers.data(), static_cast<char*>(at.data), at.object_stride_bytes});
    space.fence(kernels);
  });
}

struct ScaleNumbers {
  const std::int64_t* numbers;
  std::int64_t factor;
  std::int64_t* scaled;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { scaled[i] = numbers[i] * factor; }
};

exec::Array<std::int64_t> scaled(const Space& space, const exec::Array<std::int64_t>& numbers,
                                 std::int64_t factor) {
  exec::Array<std::int64_t> scaled(space, kernels, numbers.size());
  exec::for_each(space, kernels, numbers.size(),
                 ScaleNumbers{numbers.data(), factor, scaled.data()});
  space.fence(kernels);
  return scaled;
}

// Writes the number of values of each object, and a 0 after the last.
struct ValuesOf {
  const std::int64_t* sizes;
  std::int64_t objects, unit;
  std::int64_t* values;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    values[i] = i < objects ? sizes[i] / unit : 0;
  }
};

struct Starts {
  exec::Array<std::int64_t> numbers;  // starts, counted in values
  std::int64_t end;                   // number of all values
};

// Computes from sizes where each object's values start, and where the last values end.
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

class StagedCsr final : public Payload::Staged {
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

  void pack(const Payload::Piece& piece, std::byte* message) override {
    copy_segments(space_, unit_, message, {piece.starts, nullptr, piece.base}, from_,
                  {old_starts_.data(), piece.objects, 0}, piece.count);
  }
  void unpack(const Payload::Piece& piece, const std::byte* message) override {
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
  Csr(Field offsets, Field values) : offsets_(std::move(offsets)), values_(std::move(values)) {}

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
  std::unique_ptr<Payload::Staged> stage(std::int64_t count,
                                         std::span<const std::int64_t> sizes) const override {
    return std::make_unique<StagedCsr>(offsets_, values_, old_starts(count),
                                       starts_of(Space::where(memory()), sizes, unit_bytes()));
  }

 private:
  // Offsets that are empty mean that there are no objects.
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
      refuse_payload(std::string("The memory of '") + field->label() +
                         "' does not belong to its container alone.",
                     "Offsets and values are re-allocated: give containers that own their memory.");
  }
  if (values.components < 1)
    refuse_payload("The values '" + values_.label() + "' were never given extents.",
                   "Make them with 0 values and as many components as on other ranks.");
  if (offsets.components != 1)
    refuse_payload("An offset has several components.", "Give one integer per offset.");
  require_offsets(offsets.scalar);
  if (offsets.memory != values.memory)
    refuse_payload("Offsets are in " + std::string(name_of(offsets.memory)) +
                       " memory and values in " + name_of(values.memory) + " memory.",
                   "Keep both in the same memory.");
  if (!values.is_packed() && values.count > 0)
    refuse_payload("The values '" + values_.label() + "' of a payload are not contiguous.",
                   "Give one array of values.");
  if (offsets.count < count + 1 && (count > 0 || offsets.count > 0))
    refuse_payload("There are " + std::to_string(offsets.count) + " offsets for " +
                       std::to_string(count) + " objects.",
                   "Give one more offset than there are objects.");
  check_offsets(count);
}

void Csr::check_offsets(std::int64_t count) const {
  const exec::Array<std::int64_t> starts = old_starts(count);
  const std::int64_t pairs = starts.size() - 1;
  const bool rise = exec::first_that(starts.space(), pairs, exec::Falls{starts.data()}) == pairs;
  std::int64_t first = 0, last = 0;
  starts.fetch(0, {&first, 1});
  starts.fetch(starts.size() - 1, {&last, 1});
  if (first != 0 || !rise)
    refuse_payload("The offsets '" + offsets_.label() + "' must begin at 0 and never decrease.",
                   "Give the offset of the first value of each object.");
  if (last > values_.layout().count)
    refuse_payload("The offsets '" + offsets_.label() + "' end at " + std::to_string(last) +
                       " and there are " + std::to_string(values_.layout().count) + " values.",
                   "Let the last offset be the number of values.");
}

}  // namespace

std::shared_ptr<const Payload> csr(Field offsets, Field values) {
  return std::make_shared<Csr>(std::move(offsets), std::move(values));
}

}  // namespace evenkeel
