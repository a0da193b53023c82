#pragma once

// Merges the kept runs of an array with its strays, which are sorted and stored elsewhere. The
// merge is in place, and moves only pairs that must move. The work is divided into pieces that fit
// the cache; threads can take them in any order. Pairs that a piece needs and another piece
// overwrites are saved first.

#include "exec/sort/pairs.hpp"
#include "exec/sort/runs.hpp"

#include <cstring>

namespace evenkeel::exec::host_sort {

template <class Key, class Index>
class Merge {
 public:
  // There must be at least one run and one stray. merge() itself looks up the indices of
  // the strays: it reads them in the array, at the old positions of the strays.
  Merge(const Workers& workers, const Pairs<Key, Index>& pairs, Key mask, const Runs& runs,
        const StrayPairs<Key, Index>& strays)
      : workers_(workers), pairs_(pairs), mask_(mask), runs_(runs), strays_(strays) {}

  // Allocates all memory before it moves anything.
  void merge() {
    targets_ = Scratch<Index>("evenkeel::exec::stray_targets", strays_.count);
    place_cuts();
    plan_moves();
    const auto pieces = static_cast<std::int64_t>(cuts_.size()) - 1;
    workers_.share(pieces, [&](int, std::int64_t piece) { move(static_cast<std::size_t>(piece)); });
  }

 private:
  // Adjacent kept pairs that move together.
  struct Move {
    std::int64_t from, to, count;
  };
  // A cut between two pieces of work. It is before the kept pair at `source`. In the result, `rank`
  // kept pairs and `stray` strays are before that pair, so its place is `target`. Pairs between
  // `source` and `target` belong to one of the two pieces, and the other piece overwrites them. So
  // they are saved.
  struct MergeCut {
    std::int64_t run, source, rank, stray, target, saved;
    std::int64_t first_saved() const { return std::min(source, target); }
    std::int64_t saved_count() const { return std::max(source, target) - first_saved(); }
  };

  // Returns true if the kept pair at `position` comes after the stray. Pairs with equal keys keep
  // their order. There are no branches, because they would often be mispredicted.
  bool follows(std::int64_t position, std::int64_t stray) const {
    const Key key = static_cast<Key>(pairs_.keys[position] & mask_);
    const Key other = static_cast<Key>(strays_.keys[stray] & mask_);
    const auto from = static_cast<std::int64_t>(strays_.positions[stray]);
    return static_cast<bool>(static_cast<int>(key > other) |
                             (static_cast<int>(key == other) & static_cast<int>(position > from)));
  }

  // --- 1. Cuts -----------------------------------------------------------------------------------

  MergeCut cut_at(std::int64_t rank) const {
    const KeptRun* const next = std::partition_point(
        runs_.data, runs_.data + runs_.count, [=](const KeptRun& run) { return run.rank <= rank; });
    const KeptRun& run = *(next - 1);
    const std::int64_t source = run.begin + (rank - run.rank);
    std::int64_t least = 0, most = strays_.count;
    while (least < most) {
      const std::int64_t middle = least + (most - least) / 2;
      if (follows(source, middle))
        least = middle + 1;
      else
        most = middle;
    }
    return {next - 1 - runs_.data, source, rank, least, rank + least, 0};
  }

  // Cuts the work into pieces that fit the cache. If too many pairs would be saved, makes fewer
  // pieces.
  void place_cuts() {
    constexpr std::int64_t pairs_per_piece = std::int64_t{1} << 15;
    const std::int64_t count = runs_.kept + strays_.count;
    const std::int64_t most_saved = count / 4;
    std::int64_t saved = 0;
    for (std::int64_t pieces = runs_.kept / pairs_per_piece + 1;; pieces = (pieces + 1) / 2) {
      cuts_.assign(1, MergeCut{0, runs_.data[0].begin, 0, 0, 0, 0});
      saved = 0;
      for (std::int64_t piece = 1; piece < pieces; ++piece) {
        cuts_.push_back(cut_at(runs_.kept / pieces * piece));
        cuts_.back().saved = saved;
        saved += cuts_.back().saved_count();
      }
      if (saved <= most_saved) break;
    }
    cuts_.push_back({runs_.count, count, runs_.kept, strays_.count, count, saved});
    saved_keys_ = Scratch<Key>("evenkeel::exec::saved_keys", saved);
    saved_indices_ = Scratch<Index>("evenkeel::exec::saved_indices", saved);
  }

  bool is_inner(std::size_t cut) const { return cut > 0 && cut + 1 < cuts_.size(); }

  Pairs<Key, Index> saved(const MergeCut& cut) const {
    return {saved_keys_.data() + cut.saved, saved_indices_.data() + cut.saved};
  }

  // --- 2. Plan -----------------------------------------------------------------------------------

  // Returns the first kept pair in [begin, end) that comes after the stray. The search starts at
  // `begin`, with steps that the processor predicts well.
  std::int64_t place_of(std::int64_t stray, std::int64_t begin, std::int64_t end) const {
    constexpr std::int64_t short_step = 16, short_steps = 16;
    std::int64_t step = short_step;
    for (std::int64_t steps = 1; end - begin > step && !follows(begin + step - 1, stray); ++steps) {
      begin += step;
      if (steps >= short_steps) step *= 2;
    }
    end = std::min(end, begin + step);
    while (begin < end) {
      const std::int64_t middle = begin + (end - begin) / 2;
      if (follows(middle, stray))
        end = middle;
      else
        begin = middle + 1;
    }
    return begin;
  }

  // Plans one piece: writes the moves of its kept pairs and the targets of its strays, both in
  // ascending order. Returns the number of moves.
  std::int64_t plan(std::size_t piece, Move* moves) const {
    const MergeCut &first = cuts_[piece], &last = cuts_[piece + 1];
    std::int64_t count = 0, rank = first.rank, stray = first.stray, source = first.source;
    for (std::int64_t run = first.run;; source = runs_.data[++run].begin) {
      const std::int64_t stop = std::min(runs_.data[run].end, source + (last.rank - rank));
      while (source < stop) {
        const bool strays_left = stray < last.stray;
        const std::int64_t next = strays_left ? place_of(stray, source, stop) : stop;
        if (next != source && source != rank + stray)
          moves[count++] = {source, rank + stray, next - source};
        rank += next - source;
        source = next;
        if (source < stop) targets_.data()[stray] = static_cast<Index>(rank + stray), ++stray;
      }
      if (rank == last.rank) break;
    }
    for (; stray < last.stray; ++stray) targets_.data()[stray] = static_cast<Index>(rank + stray);
    return count;
  }

  Move* moves_of(std::size_t piece) const {
    const MergeCut& cut = cuts_[piece];
    return moves_.data() + cut.run + cut.stray + static_cast<std::int64_t>(piece);
  }

  // Plans all pieces. Saves the pairs between source and target of each cut, and the indices of all
  // strays. Afterwards no piece reads a pair that another piece overwrites.
  void plan_moves() {
    const std::size_t pieces = cuts_.size() - 1;
    moves_ = Scratch<Move>("evenkeel::exec::moves",
                           runs_.count + strays_.count + static_cast<std::int64_t>(pieces));
    move_counts_.resize(pieces);
    workers_.share(static_cast<std::int64_t>(pieces), [&](int, std::int64_t task) {
      const auto piece = static_cast<std::size_t>(task);
      move_counts_[piece] = plan(piece, moves_of(piece));
      const MergeCut& cut = cuts_[piece];
      if (is_inner(piece)) copy(pairs_.from(cut.first_saved()), saved(cut), cut.saved_count());
      for (std::int64_t stray = cut.stray; stray < cuts_[piece + 1].stray; ++stray)
        strays_.indices[stray] = pairs_.indices[strays_.positions[stray]];
    });
  }

  // --- 3. Moves ----------------------------------------------------------------------------------

  // Copies the pairs [begin, end) of a move to their targets. `from` points to the first of them.
  void carry(const Move& move, std::int64_t begin, std::int64_t end,
             const Pairs<Key, Index>& from) const {
    const auto to = pairs_.from(move.to + (begin - move.from));
    const auto count = static_cast<std::size_t>(end - begin);
    std::memmove(to.keys, from.keys, count * sizeof(Key));
    std::memmove(to.indices, from.indices, count * sizeof(Index));
  }

  void carry_saved(const Move& move, std::int64_t begin, std::int64_t end,
                   const MergeCut& cut) const {
    if (begin < end) carry(move, begin, end, saved(cut).from(begin - cut.first_saved()));
  }

  // Carries out a move. Its pairs outside of this piece's range of targets have been saved, since
  // other pieces overwrite them; the others are still in place. The pairs are copied in three
  // steps: those saved at the first cut, those in place, and those saved at the last cut. An upward
  // move begins with the last cut, a downward move with the first, so that no step overwrites pairs
  // that a later step copies.
  void carry(std::size_t piece, const Move& move) const {
    const MergeCut &first = cuts_[piece], &last = cuts_[piece + 1];
    const std::int64_t begin = move.from, end = move.from + move.count;
    const std::int64_t own = std::clamp(first.target, begin, end);
    const std::int64_t own_end = std::clamp(last.target, own, end);
    const bool up = move.to > move.from;
    if (up)
      carry_saved(move, own_end, end, last);
    else
      carry_saved(move, begin, own, first);
    carry(move, own, own_end, pairs_.from(own));
    if (up)
      carry_saved(move, begin, own, first);
    else
      carry_saved(move, own_end, end, last);
  }

  // Downward moves are carried out first, in ascending order, then upward moves in descending
  // order. So no pair is overwritten before it has moved. The strays are written last.
  void move(std::size_t piece) const {
    const Move* const moves = moves_of(piece);
    const std::int64_t count = move_counts_[piece];
    for (std::int64_t i = 0; i < count; ++i)
      if (moves[i].to < moves[i].from) carry(piece, moves[i]);
    for (std::int64_t i = count - 1; i >= 0; --i)
      if (moves[i].to > moves[i].from) carry(piece, moves[i]);
    for (std::int64_t stray = cuts_[piece].stray; stray < cuts_[piece + 1].stray; ++stray) {
      const auto target = static_cast<std::int64_t>(targets_.data()[stray]);
      pairs_.keys[target] = strays_.keys[stray];
      pairs_.indices[target] = strays_.indices[stray];
    }
  }

  Workers workers_;
  Pairs<Key, Index> pairs_;
  Key mask_;
  Runs runs_;
  StrayPairs<Key, Index> strays_;
  Scratch<Index> targets_;      // by stray
  std::vector<MergeCut> cuts_;  // begins of the pieces, and the end of the array
  Scratch<Key> saved_keys_;
  Scratch<Index> saved_indices_;
  Scratch<Move> moves_;
  std::vector<std::int64_t> move_counts_;  // by piece
};

}  // namespace evenkeel::exec::host_sort
