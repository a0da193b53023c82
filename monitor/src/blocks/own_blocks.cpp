#include "blocks/own_blocks.hpp"

#include <algorithm>
#include <cmath>

namespace evenkeel {

namespace {

OwnBlocks::List::const_iterator place_of(const OwnBlocks::List& blocks, std::int64_t id) noexcept {
  return std::ranges::lower_bound(blocks, id, {}, [](const OwnBlock& b) { return b.record.id; });
}

}  // namespace

SideProducts products_of(const std::array<std::int64_t, 3>& cells) noexcept {
  SideProducts products;
  for (std::size_t set = 0; set < products.size(); ++set) {
    products[set] = 1;
    for (std::size_t axis = 0; axis < cells.size(); ++axis)
      if ((set >> axis & 1U) != 0) products[set] *= static_cast<double>(cells[axis]);
  }
  return products;
}

const OwnBlock* OwnBlocks::find(std::int64_t id) const noexcept {
  const auto found = place_of(blocks_, id);
  return found != blocks_.end() && found->record.id == id ? &*found : nullptr;
}

void OwnBlocks::add_cost(const OwnBlock& block, double seconds) noexcept {
  constexpr double most = 0x1p52;  // as for a scope
  clock_.add_to_part(static_cast<int>(block.part), std::llround(std::min(seconds * 1e9, most)));
}

std::vector<std::int64_t> OwnBlocks::ids() const {
  std::vector<std::int64_t> ids;
  for (const OwnBlock& block : blocks_) ids.push_back(block.record.id);
  return ids;
}

// --- Other blocks --------------------------------------------------------------------------------

OwnBlocks::List OwnBlocks::with_parts(List blocks, std::int64_t step) {
  std::ranges::sort(blocks, {}, [](const OwnBlock& block) { return block.record.id; });
  std::vector<char> is_used(parts_.size());
  for (const OwnBlock& block : blocks_) is_used[block.part] = 1;
  std::size_t next = 0;
  for (OwnBlock& block : blocks) {
    block.record.owner = here_;
    if (const OwnBlock* const known = find(block.record.id)) {
      block.part = known->part;
      block.times = known->times;
      continue;
    }
    while (next < parts_.size() && (is_used[next] != 0 || parts_[next].free_from > step)) ++next;
    if (next == parts_.size()) {
      parts_.reserve(next + 1);
      parts_.push_back({clock_.add_part(kernel_)});
      is_used.push_back(0);
    }
    block.part = next++;
    block.times = {.since = step};
  }
  return blocks;
}

// The present step may still hold times of blocks that leave. They count for the kernel.
void OwnBlocks::set(List blocks, std::int64_t step) noexcept {
  for (const OwnBlock& block : blocks_) {
    const auto still = place_of(blocks, block.record.id);
    if (still != blocks.end() && still->record.id == block.record.id) continue;
    parts_[block.part].free_from = step + 1;
    gone_ += block.times.sum;
  }
  blocks_ = std::move(blocks);
}

// --- Times ---------------------------------------------------------------------------------------

void BlockTimes::add(double nanoseconds) noexcept {
  if (!(nanoseconds > 0)) return;
  ++timed;
  sum += nanoseconds;
  if (nanoseconds > greatest[1]) greatest[1] = nanoseconds;
  if (greatest[1] > greatest[0]) std::swap(greatest[0], greatest[1]);
}

double BlockTimes::mean(std::int64_t step) const noexcept {
  constexpr std::int64_t several = 4;  // for each time that is left out
  const std::int64_t steps = step - since;
  if (timed < steps || steps < several) return sum / static_cast<double>(steps);
  if (steps < 2 * several) return (sum - greatest[0]) / static_cast<double>(steps - 1);
  return (sum - greatest[0] - greatest[1]) / static_cast<double>(steps - 2);
}

// A part that no block has may hold times of the last step of its last block.
void OwnBlocks::end_step() noexcept {
  for (OwnBlock& block : blocks_) block.times.add(clock_.take_part(static_cast<int>(block.part)));
  if (blocks_.size() == parts_.size()) return;
  for (std::size_t part = 0; part < parts_.size(); ++part)
    gone_ += clock_.take_part(static_cast<int>(part));
}

void OwnBlocks::forget_times(std::int64_t step) noexcept {
  for (OwnBlock& block : blocks_) block.times = {.since = step};
  gone_ = 0;
  since_ = step;
}

void OwnBlocks::set_speed(double speed) noexcept {
  const double change = speed / std::exchange(speed_, speed);
  for (OwnBlock& block : blocks_)
    if (change != 1 && block.record.is_measured) block.record.work *= change;
}

void OwnBlocks::measure(OwnBlock& block, std::int64_t step) const noexcept {
  if (block.times.timed == 0 || block.times.since >= step) return;
  block.record.work = block.times.mean(step) * scale_ * speed_;
  block.record.is_measured = true;
}

// A block that was not timed in the epoch may have a rest, or work only now and then: it keeps half
// of its cost.
void OwnBlocks::end_epoch(std::int64_t step, double kernel, double others) noexcept {
  const auto steps = static_cast<double>(step - since_);
  if (!(steps > 0)) return;
  double timed = gone_ / steps;
  for (const OwnBlock& block : blocks_)
    if (block.times.since < step)
      timed += block.times.mean(step) * static_cast<double>(step - block.times.since) / steps;
  if (timed > 0 && kernel > 0) scale_ = kernel / timed;
  others_ = std::max(0.0, others);
  for (OwnBlock& block : blocks_) {
    if (block.times.timed == 0 && block.times.since < step && block.record.is_measured)
      block.record.work /= 2;
    measure(block, step);
  }
  forget_times(step);
}

void OwnBlocks::measure_new(std::int64_t step) noexcept {
  for (OwnBlock& block : blocks_)
    if (!block.record.is_measured) measure(block, step);
}

void OwnBlocks::measure_all(std::int64_t step) noexcept {
  for (OwnBlock& block : blocks_) measure(block, step);
}

void OwnBlocks::measure_by_weights() noexcept {
  for (OwnBlock& block : blocks_) {
    const double weight = block.record.weight > 0 ? block.record.weight : 1;
    block.record.work = weight * nanoseconds_per_weight;
    block.record.is_measured = true;
  }
}

double OwnBlocks::bytes() const noexcept {
  double bytes = 0;
  for (const OwnBlock& block : blocks_) bytes += block.record.bytes;
  return bytes;
}

double OwnBlocks::work() const noexcept {
  double work = 0;
  for (const OwnBlock& block : blocks_) work += std::max(0.0, block.record.work);
  return work;
}

}  // namespace evenkeel
