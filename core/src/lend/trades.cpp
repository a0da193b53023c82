#include "lend/stage.hpp"

#include <evenkeel/backends/comm/sparse_exchange.hpp>
#include <evenkeel/core/lend.hpp>

#include <algorithm>

namespace evenkeel {

// First the ranks of each node trade with each other, and then all ranks trade what is left. Each
// time, all traded work is a line from 0 to `length`. Each lender and each borrower has a piece of
// it, in the order of ranks. If pieces of a lender and of a borrower overlap, they trade. The line
// is divided into a section for each rank, which gets all pieces in its section, and informs the
// lenders.

namespace {

struct Line {
  std::int64_t length = 0;
  int ranks = 1;

  // The begin of a section.
  std::int64_t begin_of(int section) const {
    const std::int64_t each = length / ranks, rest = length % ranks;
    return each * section + std::min<std::int64_t>(rest, section);
  }
  // The section of a place.
  int section_of(std::int64_t place) const {
    const std::int64_t each = length / ranks, rest = length % ranks;
    const std::int64_t in_long = (each + 1) * rest;
    return static_cast<int>(place < in_long ? place / (each + 1) : rest + (place - in_long) / each);
  }
};

struct LinePiece {
  std::int64_t begin, end;
  bool lends;
};

// A place among `all`, on a line of `length`; places keep their order.
std::int64_t scaled(std::int64_t place, std::int64_t all, std::int64_t length) {
  if (all == length) return place;
  return static_cast<std::int64_t>(static_cast<long double>(place) / static_cast<long double>(all) *
                                   static_cast<long double>(length));
}

std::vector<Note<LinePiece>> in_sections(const Line& line, const LinePiece& mine) {
  std::vector<Note<LinePiece>> notes;
  for (std::int64_t at = mine.begin; at < mine.end;) {
    const int section = line.section_of(at);
    const std::int64_t end = std::min(mine.end, line.begin_of(section + 1));
    notes.push_back({section, {at, end, mine.lends}});
    at = end;
  }
  return notes;
}

// The trades of all lenders within a section.
std::vector<Note<Trade>> matched(const std::vector<Note<LinePiece>>& pieces) {
  std::vector<Note<LinePiece>> lenders, borrowers;
  for (const Note<LinePiece>& piece : pieces)
    (piece.content.lends ? lenders : borrowers).push_back(piece);
  std::vector<Note<Trade>> trades;
  for (std::size_t l = 0, b = 0; l < lenders.size() && b < borrowers.size();) {
    const LinePiece &from = lenders[l].content, &to = borrowers[b].content;
    const std::int64_t both = std::min(from.end, to.end) - std::max(from.begin, to.begin);
    if (both > 0) trades.push_back({lenders[l].rank, {borrowers[b].rank, both}});
    from.end < to.end ? ++l : ++b;
  }
  return trades;
}

// Trades of one pair may come from several sections.
std::vector<Trade> joined(const std::vector<Note<Trade>>& parts) {
  std::vector<Trade> trades;
  trades.reserve(parts.size());
  for (const Note<Trade>& part : parts) trades.push_back(part.content);
  std::sort(trades.begin(), trades.end(),
            [](const Trade& a, const Trade& b) { return a.to < b.to; });
  std::vector<Trade> all;
  for (const Trade& trade : trades)
    if (!all.empty() && all.back().to == trade.to)
      all.back().nanoseconds += trade.nanoseconds;
    else
      all.push_back(trade);
  return all;
}

// The trades in which a rank lends, and the work that it borrows.
struct LineUp {
  std::vector<Trade> lends;
  std::int64_t borrowed = 0;
};

LineUp lined_up(const Communicator& communicator, Status& ready, std::int64_t surplus,
                std::int64_t deficit) {
  std::array<std::int64_t, 2> before = {surplus, deficit}, all = before;
  communicator.exclusive_scan(std::span<std::int64_t>(before));
  communicator.all_reduce(std::span<std::int64_t>(all), Reduction::sum);
  const Line line = {std::min(all[0], all[1]), communicator.size()};
  if (line.length == 0) return {};
  const std::size_t side = surplus > 0 ? 0 : 1;
  const std::int64_t work = std::max(surplus, deficit);
  LinePiece mine = {0, 0, surplus > 0};
  if (work > 0) {
    mine.begin = scaled(before[side], all[side], line.length);
    mine.end = scaled(before[side] + work, all[side], line.length);
  }
  std::vector<Note<LinePiece>> pieces;
  const Status made = attempt(stage_name, [&] { pieces = in_sections(line, mine); });
  if (ready.ok()) ready = made;
  pieces = announce(communicator, stage_name, ready, pieces);
  std::vector<Note<Trade>> trades;
  const Status found = attempt(stage_name, [&] { trades = matched(pieces); });
  if (ready.ok()) ready = found;
  trades = announce(communicator, stage_name, ready, trades);
  LineUp result;
  const Status told = attempt(stage_name, [&] { result.lends = joined(trades); });
  if (ready.ok()) ready = told;
  result.borrowed = mine.lends ? 0 : mine.end - mine.begin;
  return result;
}

}  // namespace

TradingRanks::TradingRanks(Communicator every, Communicator near)
    : all(std::move(every)), node(std::move(near)) {
  vote(all, attempt(stage_name, [&] { of_node.resize(static_cast<std::size_t>(node.size())); }));
  node.all_gather(all.rank(), std::span(of_node));
}

TradingRanks TradingRanks::of(Communicator every) {
  Communicator near = every.on_node();
  return {std::move(every), std::move(near)};
}

std::vector<Trade> trades_of(const TradingRanks& ranks, Status& ready, std::int64_t surplus,
                             std::int64_t deficit) {
  if (ranks.node.size() == ranks.all.size())
    return lined_up(ranks.all, ready, surplus, deficit).lends;
  LineUp near = lined_up(ranks.node, ready, surplus, deficit);
  deficit -= near.borrowed;
  for (Trade& trade : near.lends) {
    trade.to = ranks.of_node[static_cast<std::size_t>(trade.to)];
    surplus -= trade.nanoseconds;
  }
  const LineUp far = lined_up(ranks.all, ready, surplus, deficit);
  const Status joins = attempt(
      stage_name, [&] { near.lends.insert(near.lends.end(), far.lends.begin(), far.lends.end()); });
  if (ready.ok()) ready = joins;
  return std::move(near.lends);
}

}  // namespace evenkeel
