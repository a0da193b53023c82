#include <evenkeel/core/weights/bytes.hpp>

#include "field/numbers.hpp"
#include "weights/blend.hpp"
#include "weights/stage.hpp"

#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/weights.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace evenkeel {

namespace {

constexpr const char* bytes_label = "evenkeel::weights::bytes";

struct AddSizes {
  const std::int64_t* sizes;
  double* bytes;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    bytes[i] += static_cast<double>(sizes[i]);
  }
};

// The bytes of an object in memory of the same size for all: stated, or those of its fields.
double fixed_bytes(const Set& set) {
  std::int64_t bytes = set.options().bytes_per_object;
  for (std::size_t f = 0; f < set.fields().size() && set.options().bytes_per_object == 0; ++f)
    if (!set.is_companion(f)) bytes += set.fields()[f].layout().bytes_per_object();
  return static_cast<double>(bytes);
}

bool has_payloads_to_count(const Set& set) {
  return set.options().bytes_per_object == 0 && !set.payloads().empty();
}

exec::Array<double> given_bytes(const Space& space, const Set& set) {
  const NumberSource& source = set.options().bytes;
  exec::Array<double> bytes = read_reals(space, source.layout(), set.count());
  const std::int64_t bad = exec::first_that(space, bytes.size(), exec::IsNoAmount{bytes.data()});
  if (bad == bytes.size()) return bytes;
  double number = 0;
  bytes.fetch(bad, {&number, 1});
  refuse("Object " + std::to_string(bad) + " has " + text_of(number) + " bytes in '" +
             source.label() + "'.",
         "Bytes are finite and not negative.");
}

}  // namespace

exec::Array<double> bytes_of_objects(const Space& space, const Set& set) {
  if (set.options().bytes.given()) return given_bytes(space, set);
  exec::Array<double> bytes = exec::filled(space, bytes_label, set.count(), fixed_bytes(set));
  if (!has_payloads_to_count(set)) return bytes;
  for (const auto& payload : set.payloads()) {
    const exec::Array<std::int64_t> sizes(Space::where(payload->memory()), bytes_label,
                                          set.count());
    payload->write_sizes(sizes.span());
    const exec::Reached<std::int64_t> reached(space, bytes_label, sizes);
    exec::for_each(space, bytes_label, bytes.size(), AddSizes{reached.data(), bytes.data()});
    space.fence(bytes_label);
  }
  return bytes;
}

double bytes_of_all_objects(const Set& set) {
  if (set.options().bytes.given() || has_payloads_to_count(set))
    return sum_of(bytes_of_objects(Space::where(set.position().memory), set));
  return fixed_bytes(set) * static_cast<double>(set.count());
}

void check_memory(const detail::Refusal& refuse_it, std::span<const double> memory, int parts) {
  if (std::ssize(memory) != parts)
    refuse_it(std::to_string(memory.size()) + " limits of memory came for " +
                  std::to_string(parts) + " parts.",
              "Give one limit per part, or no limits.");
  if (std::ranges::any_of(memory,
                          [](double bytes) { return !std::isfinite(bytes) || !(bytes > 0); }))
    refuse_it("A limit of memory is zero, negative, NaN or infinite.",
              "Give positive numbers of bytes, or no limits.");
}

RankFill fullest_of(std::span<const double> bytes, std::span<const double> memory) {
  RankFill fullest;
  for (std::size_t rank = 0; rank < bytes.size(); ++rank) {
    const RankFill next = {static_cast<int>(rank), bytes[rank], memory[rank]};
    if (rank == 0 || next.share() > fullest.share()) fullest = next;
  }
  return fullest;
}

ByWorkAndBytes::ByWorkAndBytes(const WorkAndBytes& all, std::span<const double> speeds,
                               std::span<const double> memory)
    : all_(all), speeds_(speeds), memory_(memory) {
  parts_.work = speeds.empty() ? static_cast<double>(memory.size())
                               : std::accumulate(speeds.begin(), speeds.end(), 0.0);
  parts_.bytes = std::accumulate(memory.begin(), memory.end(), 0.0);
}

WorkAndBytes ByWorkAndBytes::factors(double by_bytes) const noexcept {
  return {all_.work > 0 ? (1 - by_bytes) / all_.work : 0, by_bytes / all_.bytes};
}

exec::Array<double> ByWorkAndBytes::weights(const Space& space, std::span<const double> work,
                                            std::span<const double> bytes, std::int64_t objects,
                                            double by_bytes) const {
  const WorkAndBytes factor = factors(by_bytes);
  return greater_of(space, work, factor.work, bytes, factor.bytes, objects);
}

std::vector<double> ByWorkAndBytes::shares_of_parts(double by_bytes) const {
  std::vector<double> shares;
  for (std::size_t part = 0; part < memory_.size(); ++part)
    shares.push_back((1 - by_bytes) * ((speeds_.empty() ? 1 : speeds_[part]) / parts_.work) +
                     by_bytes * (memory_[part] / parts_.bytes));
  return shares;
}

}  // namespace evenkeel
