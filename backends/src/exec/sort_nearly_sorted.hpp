#pragma once

// The short cut for pairs that are nearly in order, on host threads. Pairs that are out of order
// are found and sorted by themselves; then the others close ranks around them, in place. Nothing
// moves before it is certain that few are out of order, and whatever need not move does not.
//
// `kept` pairs are those that stay in order among each other: sorted runs of the array. The
// `strays` are all others, at most twice as many as must leave to make the array sorted.

#include "exec/sort_host.hpp"

#include <utility>

namespace evenkeel::exec::host_sort {

template <class Key, class Index>
class NearlySorted {
 public:
  NearlySorted(const Workers& workers, const Pairs<Key, Index>& pairs, std::int64_t count, Key mask)
      : workers_(workers.for_objects(count, least_share)),
        pairs_(pairs),
        count_(count),
        mask_(mask) {}

  // Sorts the pairs when few of them are out of order; else changes nothing and returns false.
  bool sort() {
    if (!find_runs()) return false;
    strays_ = count_ - kept_;
    if (strays_ == 0) return true;
    const Scratch<Key> keys("evenkeel::exec::stray_keys", strays_);
    const Scratch<Index> positions("evenkeel::exec::stray_positions", strays_);
    const Scratch<Index> indices("evenkeel::exec::stray_indices", strays_);
    targets_ = Scratch<Index>("evenkeel::exec::stray_targets", strays_);
    stray_keys_ = keys.data();
    stray_positions_ = positions.data();
    stray_indices_ = indices.data();
    pull_out_strays();
    RadixSort<Key, Index>(workers_, {stray_keys_, stray_positions_}, strays_, mask_).sort();
    place_cuts();
    plan_moves();
    const auto pieces = static_cast<std::int64_t>(cuts_.size()) - 1;
    workers_.share(pieces, [&](int, std::int64_t piece) { move(static_cast<std::size_t>(piece)); });
    return true;
  }

 private:
  static constexpr std::int64_t least_share = std::int64_t{1} << 14;
  // Of the pairs of a share; with more of them the radix sort is faster.
  static constexpr std::int64_t strays_per_pairs = 8, strays_anyway = 64;

  // Kept pairs at [begin, end), with `rank` kept pairs before them.
  struct Run {
    std::int64_t begin, end, rank;
  };
  // Kept pairs that go elsewhere.
  struct Move {
    std::int64_t from, to, count;
  };
  // Where one piece of work ends and the next begins: the kept pair at `source`, with `rank` kept
  // pairs and `stray` strays before it in the end. What lies between `source` and the `target` is
  // overwritten from the other side of the cut, and therefore saved.
  struct Cut {
    std::int64_t run, source, rank, stray, target, saved;
    std::int64_t first_saved() const { return std::min(source, target); }
    std::int64_t saved_count() const { return std::max(source, target) - first_saved(); }
  };

  Key compared(std::int64_t at) const { return static_cast<Key>(pairs_.keys[at] & mask_); }

  // --- 1. Runs -----------------------------------------------------------------------------------

  static std::int64_t most_strays(std::int64_t pairs) {
    return pairs / strays_per_pairs + strays_anyway;
  }
  static std::int64_t most_runs(std::int64_t pairs) { return most_strays(pairs) / 2 + 2; }

  // The end of the ascending run that `at` is in.
  std::int64_t end_of_run(std::int64_t at, std::int64_t end) const {
    constexpr std::int64_t block = 16;
    const Key* const keys = pairs_.keys;
    for (; end - at > block; at += block) {
      unsigned descents = 0;
      for (std::int64_t i = at; i < at + block; ++i)
        descents |= (keys[i] & mask_) > (keys[i + 1] & mask_) ? 1U : 0U;
      if (descents != 0) break;
    }
    while (at + 1 < end && compared(at) <= compared(at + 1)) ++at;
    return at + 1;
  }

  // The runs of [begin, end), or nothing when that takes too many strays. Where a key is below the
  // last that was kept, one of the two is astray: both go.
  std::int64_t find_runs_of(std::int64_t begin, std::int64_t end, Run* runs,
                            std::atomic<bool>& too_many) const {
    std::int64_t count = 0, strays = 0;
    for (std::int64_t at = begin; at < end;) {
      const std::int64_t stop = end_of_run(at, end);
      runs[count++] = {at, stop, 0};
      for (at = stop; at < end && count > 0; ++at) {
        Run& last = runs[count - 1];
        if (compared(last.end - 1) <= compared(at)) break;
        if (--last.end == last.begin) --count;
        strays += 2;
      }
      if (strays > most_strays(at - begin) || too_many.load(std::memory_order_relaxed)) {
        too_many = true;
        return 0;
      }
    }
    return count;
  }

  // Appends the runs of one share to those before it, with strays taken where the two overlap.
  std::int64_t join(std::int64_t joined, Run* run, Run* end) {
    Run* const runs = runs_.data();
    while (joined > 0 && run != end) {
      Run& last = runs[joined - 1];
      if (compared(last.end - 1) <= compared(run->begin)) break;
      if (--last.end == last.begin) --joined;
      if (++run->begin == run->end) ++run;
    }
    return std::copy(run, end, runs + joined) - runs;
  }

  bool find_runs() {
    const auto share = [&](int worker) { return workers_.begin_of_share(worker, 0, count_); };
    const std::int64_t room = most_runs(share(1));
    runs_ = Scratch<Run>("evenkeel::exec::sorted_runs", room * workers_.count);
    std::vector<std::int64_t> found(static_cast<std::size_t>(workers_.count));
    std::atomic<bool> too_many{false};
    workers_.run([&](int worker) {
      found[static_cast<std::size_t>(worker)] =
          find_runs_of(share(worker), share(worker + 1), runs_.data() + room * worker, too_many);
    });
    if (too_many) return false;
    for (int worker = 0; worker < workers_.count; ++worker) {
      Run* const runs = runs_.data() + room * worker;
      run_count_ = join(run_count_, runs, runs + found[static_cast<std::size_t>(worker)]);
    }
    for (std::int64_t run = 0; run < run_count_; ++run) {
      Run& current = runs_.data()[run];
      current.rank = kept_;
      kept_ += current.end - current.begin;
    }
    return count_ - kept_ <= most_strays(count_);
  }

  // --- 2. Strays ---------------------------------------------------------------------------------

  // Strays lie between runs: the one at `position` is preceded by `rank` kept pairs.
  void pull_out(std::int64_t begin, std::int64_t end, std::int64_t rank) const {
    for (std::int64_t position = begin; position < end; ++position) {
      stray_keys_[position - rank] = pairs_.keys[position];
      stray_positions_[position - rank] = static_cast<Index>(position);
    }
  }

  void pull_out_strays() const {
    const Run* const runs = runs_.data();
    workers_.run([&](int worker) {
      const std::int64_t stop = workers_.begin_of_share(worker + 1, 0, run_count_);
      for (auto run = workers_.begin_of_share(worker, 0, run_count_); run < stop; ++run)
        pull_out(run == 0 ? 0 : runs[run - 1].end, runs[run].begin, runs[run].rank);
    });
    pull_out(runs[run_count_ - 1].end, count_, kept_);
  }

  // Whether the kept pair at `position` comes after the stray. Equal keys stay in their order.
  // In one piece: a branch per comparison would be guessed wrong too often.
  bool follows(std::int64_t position, std::int64_t stray) const {
    const Key key = compared(position);
    const Key other = static_cast<Key>(stray_keys_[stray] & mask_);
    const auto from = static_cast<std::int64_t>(stray_positions_[stray]);
    return static_cast<bool>(static_cast<int>(key > other) |
                             (static_cast<int>(key == other) & static_cast<int>(position > from)));
  }

  // --- 3. Cuts -----------------------------------------------------------------------------------

  Cut cut_at(std::int64_t rank) const {
    const Run* const runs = runs_.data();
    const Run* const next = std::partition_point(runs, runs + run_count_,
                                                 [=](const Run& run) { return run.rank <= rank; });
    const Run& run = *(next - 1);
    const std::int64_t source = run.begin + (rank - run.rank);
    std::int64_t least = 0, most = strays_;
    while (least < most) {
      const std::int64_t middle = least + (most - least) / 2;
      if (follows(source, middle))
        least = middle + 1;
      else
        most = middle;
    }
    return {next - 1 - runs, source, rank, least, rank + least, 0};
  }

  // Cuts the work into pieces that fit the cache; into fewer when that would save too much.
  void place_cuts() {
    constexpr std::int64_t pairs_per_piece = std::int64_t{1} << 15;
    const std::int64_t most_saved = count_ / 4;
    std::int64_t saved = 0;
    for (std::int64_t pieces = kept_ / pairs_per_piece + 1;; pieces = (pieces + 1) / 2) {
      cuts_.assign(1, Cut{0, runs_.data()[0].begin, 0, 0, 0, 0});
      saved = 0;
      for (std::int64_t piece = 1; piece < pieces; ++piece) {
        cuts_.push_back(cut_at(kept_ / pieces * piece));
        cuts_.back().saved = saved;
        saved += cuts_.back().saved_count();
      }
      if (saved <= most_saved) break;
    }
    cuts_.push_back({run_count_, count_, kept_, strays_, count_, saved});
    saved_keys_ = Scratch<Key>("evenkeel::exec::saved_keys", saved);
    saved_indices_ = Scratch<Index>("evenkeel::exec::saved_indices", saved);
  }

  bool is_inner(std::size_t cut) const { return cut > 0 && cut + 1 < cuts_.size(); }

  // --- 4. Plan -----------------------------------------------------------------------------------

  // The first kept pair of [begin, end) that comes after the stray; it is sought near `begin`, in
  // steps that the processor sees coming.
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

  // Where the kept pairs and the strays of one piece go, in ascending order.
  std::int64_t plan(std::size_t piece, Move* moves) const {
    const Cut &first = cuts_[piece], &last = cuts_[piece + 1];
    std::int64_t count = 0, rank = first.rank, stray = first.stray, source = first.source;
    for (std::int64_t run = first.run;; source = runs_.data()[++run].begin) {
      const std::int64_t stop = std::min(runs_.data()[run].end, source + (last.rank - rank));
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
    const Cut& cut = cuts_[piece];
    return moves_.data() + cut.run + cut.stray + static_cast<std::int64_t>(piece);
  }

  // Afterwards the arrays need not be read across a cut.
  void plan_moves() {
    const std::size_t pieces = cuts_.size() - 1;
    moves_ = Scratch<Move>("evenkeel::exec::moves",
                           run_count_ + strays_ + static_cast<std::int64_t>(pieces));
    move_counts_.resize(pieces);
    workers_.share(static_cast<std::int64_t>(pieces), [&](int, std::int64_t task) {
      const auto piece = static_cast<std::size_t>(task);
      move_counts_[piece] = plan(piece, moves_of(piece));
      const Cut& cut = cuts_[piece];
      if (is_inner(piece)) copy(pairs_.from(cut.first_saved()), saved(cut), cut.saved_count());
      for (std::int64_t stray = cut.stray; stray < cuts_[piece + 1].stray; ++stray)
        stray_indices_[stray] = pairs_.indices[stray_positions_[stray]];
    });
  }

  Pairs<Key, Index> saved(const Cut& cut) const {
    return {saved_keys_.data() + cut.saved, saved_indices_.data() + cut.saved};
  }

  // --- 5. Moves ----------------------------------------------------------------------------------

  // Copies the part [begin, end) of what `move` moves to where that takes it.
  void carry(const Move& move, std::int64_t begin, std::int64_t end,
             const Pairs<Key, Index>& from) const {
    const auto to = pairs_.from(move.to + (begin - move.from));
    const auto count = static_cast<std::size_t>(end - begin);
    std::memmove(to.keys, from.keys, count * sizeof(Key));
    std::memmove(to.indices, from.indices, count * sizeof(Index));
  }

  void carry_saved(const Move& move, std::int64_t begin, std::int64_t end, const Cut& cut) const {
    if (begin < end) carry(move, begin, end, saved(cut).from(begin - cut.first_saved()));
  }

  // What lies across the targets of its cuts has been saved; the rest is still in place. Parts
  // go in the order in which they overwrite none that has yet to move.
  void carry(std::size_t piece, const Move& move) const {
    const Cut &first = cuts_[piece], &last = cuts_[piece + 1];
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

  // What goes down goes in ascending order, then what goes up in descending order: so no pair is
  // overwritten before it has moved.
  void move(std::size_t piece) const {
    const Move* const moves = moves_of(piece);
    const std::int64_t count = move_counts_[piece];
    for (std::int64_t i = 0; i < count; ++i)
      if (moves[i].to < moves[i].from) carry(piece, moves[i]);
    for (std::int64_t i = count - 1; i >= 0; --i)
      if (moves[i].to > moves[i].from) carry(piece, moves[i]);
    for (std::int64_t stray = cuts_[piece].stray; stray < cuts_[piece + 1].stray; ++stray) {
      const auto target = static_cast<std::int64_t>(targets_.data()[stray]);
      pairs_.keys[target] = stray_keys_[stray];
      pairs_.indices[target] = stray_indices_[stray];
    }
  }

  Workers workers_;
  Pairs<Key, Index> pairs_;
  std::int64_t count_;
  Key mask_;
  Scratch<Run> runs_;
  std::int64_t run_count_ = 0, kept_ = 0, strays_ = 0;
  Key* stray_keys_ = nullptr;  // sorted, with where they came from and what they carry
  Index* stray_positions_ = nullptr;
  Index* stray_indices_ = nullptr;
  Scratch<Index> targets_;  // where each stray goes
  std::vector<Cut> cuts_;   // of pieces; the first and the last are the ends of the array
  Scratch<Key> saved_keys_;
  Scratch<Index> saved_indices_;
  Scratch<Move> moves_;
  std::vector<std::int64_t> move_counts_;  // per piece
};

}  // namespace evenkeel::exec::host_sort
