#pragma once

#include "domains/power/cells.hpp"

#include <evenkeel/backends/exec/launch.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace evenkeel {

// Points in the order of a curve, in blocks of consecutive points. A block has few rivals, and its
// points need only these.
class PowerBlocks {
 public:
  static constexpr std::size_t together = 8;  // points in a block, and blocks in the next one

  PowerBlocks() = default;
  // place_of(i)[axis] is a coordinate of point i.
  template <class PlaceOf>
  PowerBlocks(std::size_t points, const PlaceOf& place_of) : points_(points) {
    const auto box_of = [&](std::size_t i) {
      LatticeBox box;
      for (std::size_t d = 0; d < 3; ++d)
        box.first[d] = box.last[d] = static_cast<double>(place_of(i)[d]);
      return box;
    };
    boxes_.push_back(grouped(points, box_of));
    while (boxes_.back().size() > 1) {
      const std::vector<LatticeBox>& below = boxes_.back();
      boxes_.push_back(grouped(below.size(), [&](std::size_t i) { return below[i]; }));
    }
  }

  // Calls use(begin, end, near) for ranges of points; `near` are the indices of the rivals that may
  // own them, as keep_nearest() finds them. Together these are all points of one of several shares.
  template <class Use>
  void visit(std::span<const PowerRival> rivals, double slab, std::size_t share, std::size_t shares,
             const Use& use) const {
    const std::size_t blocks = boxes_.front().size();
    Visit<Use> visit{*this,
                     rivals,
                     slab,
                     blocks * share / shares,
                     blocks * (share + 1) / shares,
                     use,
                     std::vector<std::vector<int>>(boxes_.size())};
    std::vector<int> all(rivals.size());
    std::iota(all.begin(), all.end(), 0);
    std::size_t size = 1;  // of a block, in blocks of the lowest level
    for (std::size_t level = 1; level < boxes_.size(); ++level) size *= together;
    if (visit.begin < visit.end) visit.of(boxes_.size() - 1, 0, size, all);
  }

 private:
  template <class BoxOf>
  static std::vector<LatticeBox> grouped(std::size_t count, const BoxOf& box_of) {
    std::vector<LatticeBox> boxes((count + together - 1) / together);
    exec::for_each_on_host("evenkeel::power::boxes", std::ssize(boxes), [&](std::int64_t block) {
      const std::size_t begin = static_cast<std::size_t>(block) * together;
      LatticeBox all = box_of(begin);
      for (std::size_t i = begin + 1; i < std::min(count, begin + together); ++i) {
        const LatticeBox box = box_of(i);
        for (std::size_t d = 0; d < 3; ++d) {
          all.first[d] = std::min(all.first[d], box.first[d]);
          all.last[d] = std::max(all.last[d], box.last[d]);
        }
      }
      boxes[static_cast<std::size_t>(block)] = all;
    });
    return boxes;
  }

  template <class Use>
  struct Visit {
    const PowerBlocks& blocks;
    std::span<const PowerRival> rivals;
    double slab;
    std::size_t begin, end;  // the blocks of the lowest level that count
    const Use& use;
    std::vector<std::vector<int>> kept;  // the rivals of the present block of each level

    // `size` is that of the block, in blocks of the lowest level.
    void of(std::size_t level, std::size_t block, std::size_t size, const std::vector<int>& near) {
      const std::size_t first = block * size, last = first + size;
      if (first >= end || last <= begin) return;
      std::vector<int>& mine = kept[level];
      keep_nearest(blocks.boxes_[level][block], rivals, near, slab, mine);
      const bool is_lowest = level == 0, is_whole = first >= begin && last <= end;
      if (is_lowest || (mine.size() == 1 && is_whole)) {
        use(first * together, std::min(last * together, blocks.points_), mine);
        return;
      }
      const std::size_t below = std::min(blocks.boxes_[level - 1].size(), (block + 1) * together);
      for (std::size_t i = block * together; i < below; ++i)
        of(level - 1, i, size / together, mine);
    }
  };

  std::size_t points_ = 0;
  // boxes_[0] around points, boxes_[1] around those blocks, and so on, up to one box
  std::vector<std::vector<LatticeBox>> boxes_;
};

}  // namespace evenkeel
