#include "observe/rebalance_cost.hpp"

#include "observe/thread_track.hpp"

#include <span>

namespace evenkeel {

namespace {

void add_to(std::int64_t& sum, double more) noexcept {
  sum = whole(static_cast<double>(sum) + std::max(0.0, more));
}

std::int64_t median_of(std::span<std::int64_t> numbers) noexcept {
  const auto middle = numbers.begin() + std::ssize(numbers) / 2;
  std::nth_element(numbers.begin(), middle, numbers.end());
  if (numbers.size() % 2 == 1) return *middle;
  const std::int64_t below = *std::max_element(numbers.begin(), middle);
  return below + (*middle - below) / 2;
}

}  // namespace

template <std::size_t size>
RebalanceCost::Parts RebalanceCost::Recent<size>::median() const noexcept {
  const std::size_t known = std::min(count, size);
  if (known == 0) return {};
  std::array<std::int64_t, size> numbers{};
  const auto median_by = [&](std::int64_t Parts::*part) {
    for (std::size_t i = 0; i < known; ++i) numbers[i] = parts[i].*part;
    return median_of(std::span(numbers).first(known));
  };
  return {median_by(&Parts::in_kernels), median_by(&Parts::beside)};
}

void RebalanceCost::add(double seconds, std::int64_t bytes) noexcept {
  add_to(cost_, seconds * 1e9);
  add_to(bytes_, static_cast<double>(bytes));
  ++rebalances_;
  latest_ = Latest::later;
}

void RebalanceCost::add_first(double seconds, std::int64_t bytes, bool is_whole) noexcept {
  add_to(first_cost_, seconds * 1e9);
  add_to(first_bytes_, static_cast<double>(bytes));
  is_first_whole_ = is_whole;
  latest_ = Latest::first;
}

bool RebalanceCost::note(double seconds) noexcept {
  if (latest_ == Latest::none) return false;
  add_to(noted_in_step_, seconds * 1e9);
  add_to(latest_ == Latest::first ? first_cost_ : noted_, seconds * 1e9);
  is_first_whole_ = is_first_whole_ || latest_ == Latest::first;
  return true;
}

void RebalanceCost::begin_settling(WorkClock& clock) noexcept {
  has_moved_ = true;
  moved_at_ = clock.reading();
  waited_ = clock.waited();
}

// The times of a step without waiting for a core. The system does not report when the rank waited,
// so kernels and the rest lose the same share.
RebalanceCost::Parts RebalanceCost::parts_of(const Clock::Step& step, bool has_moved,
                                             WorkClock& clock) const noexcept {
  const std::int64_t took = has_moved ? passed(moved_at_, clock.reading()) : step.duration;
  Parts parts = {step.load, took - step.load};
  const std::int64_t waited = passed(waited_, clock.waited());
  if (waited > 0 && took > 0) {
    const double rest = std::max(0.0, 1 - static_cast<double>(waited) / static_cast<double>(took));
    for (std::int64_t* const part : {&parts.in_kernels, &parts.beside})
      *part = static_cast<std::int64_t>(rest * static_cast<double>(*part));
  }
  parts.beside -= std::clamp<std::int64_t>(parts.beside, 0, noted_in_step_);
  return parts;
}

// After a gate without a move, the comparison ends only with the next gate or move.
void RebalanceCost::end_step(const Clock::Step& step, bool may_move, WorkClock& clock) noexcept {
  using Kind = SpecialStep::Kind;
  const bool has_moved = std::exchange(has_moved_, false);
  const bool was_gate = std::exchange(was_gate_, may_move);
  has_gates_ = has_gates_ || !may_move;
  if (has_moved || (was_gate && has_gates_)) {
    end_comparison();
    special_ = {has_moved ? Kind::rebalance : Kind::gate, parts_of(step, has_moved, clock), {}};
  } else if (special_.kind != Kind::none && special_.later.count < most_later) {
    special_.later.add(parts_of(step, false, clock));
  }
  const bool compares = special_.kind != Kind::none && special_.later.count < most_later;
  if (compares || (may_move && has_gates_)) waited_ = clock.waited();
  noted_in_step_ = 0;
  latest_ = Latest::none;
}

void RebalanceCost::end_comparison() noexcept {
  using Kind = SpecialStep::Kind;
  const SpecialStep special = std::exchange(special_, {});
  if (special.kind == Kind::none || special.later.count == 0) return;
  const Parts usual = special.later.median();
  const Parts excess = {special.parts.in_kernels - usual.in_kernels,
                        special.parts.beside - usual.beside};
  if (special.kind == Kind::gate) return gates_.add(excess);
  const Parts of_gates = gates_.median();
  rebuild_ += std::max<std::int64_t>(0, excess.beside - std::max<std::int64_t>(0, of_gates.beside));
  extra_ += excess.in_kernels - of_gates.in_kernels;
}

void RebalanceCost::end_settling() noexcept {
  if (special_.kind == SpecialStep::Kind::rebalance) end_comparison();
}

void RebalanceCost::tell(Sample& sample, bool is_last) noexcept {
  if (std::exchange(is_first_whole_, false)) {
    sample.first_cost = first_cost_;
    sample.first_bytes = first_bytes_;
  }
  const bool is_settling = special_.kind == SpecialStep::Kind::rebalance;
  if (!is_last && (has_moved_ || (is_settling && special_.later.count == 0))) return;
  end_settling();
  sample.rebalances = std::exchange(rebalances_, 0);
  sample.cost = std::exchange(cost_, 0);
  sample.bytes = std::exchange(bytes_, 0);
  sample.rebuild = std::exchange(rebuild_, 0);
  sample.noted = std::exchange(noted_, 0);
  sample.extra = std::exchange(extra_, 0);
}

}  // namespace evenkeel
