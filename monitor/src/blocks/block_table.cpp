#include "blocks/block_table.hpp"

#include "blocks/expected_work.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <cmath>

namespace evenkeel {

namespace {

constexpr const char* table_stage = "monitor/block_balancer";
constexpr detail::Refusal refuse_block{table_stage};

std::int64_t id_of(const BlockRecord& block) noexcept { return block.id; }

std::string text_of_block(std::int64_t id) { return "Block " + std::to_string(id); }

// --- Lists of numbers ----------------------------------------------------------------------------

// Lists, each behind its id and its length, in one row of numbers.
void add_list(std::vector<std::int64_t>& row, std::int64_t id, std::span<const std::int64_t> list) {
  row.push_back(id);
  row.push_back(std::ssize(list));
  row.insert(row.end(), list.begin(), list.end());
}

// Calls function(id, list) for each list of a row.
template <class Function>
void for_each_list(std::span<const std::int64_t> row, const Function& function) {
  for (std::size_t at = 0; at < row.size();) {
    const auto length = static_cast<std::size_t>(row[at + 1]);
    function(row[at], row.subspan(at + 2, length));
    at += 2 + length;
  }
}

// --- The table -----------------------------------------------------------------------------------

struct TableStatement {
  WorkSums work;
  std::int64_t with_neighbours = 0;
  static void add(TableStatement& into, const TableStatement& from) noexcept {
    into.work.add(from.work);
    into.with_neighbours += from.with_neighbours;
  }
};

// Collective.
TableStatement sums_over(const Communicator& ranks, const Status& ready,
                         const OwnBlocks::List& blocks) {
  TableStatement mine;
  for (const OwnBlock& block : blocks) {
    mine.work.add(block);
    if (!block.neighbours.empty()) ++mine.with_neighbours;
  }
  return vote<&TableStatement::add>(ranks, ready, mine);
}

// Fills in the neighbours of all blocks, and the pairs of them. Neighbours that no rank has are in
// no pair.
void set_neighbours(BlockTable& table, std::span<const std::int64_t> lists) {
  table.neighbours.resize(table.blocks.size());
  const auto index_of = [&](std::int64_t id) {
    const BlockRecord* const found = table.find(id);
    return found == nullptr ? -1 : static_cast<int>(found - table.blocks.data());
  };
  for_each_list(lists, [&](std::int64_t id, std::span<const std::int64_t> neighbours) {
    const int block = index_of(id);
    table.neighbours[static_cast<std::size_t>(block)].assign(neighbours.begin(), neighbours.end());
    for (const std::int64_t neighbour : neighbours) {
      const int other = index_of(neighbour);
      if (other >= 0 && block != other)
        table.edges.push_back({std::min(block, other), std::max(block, other)});
    }
  });
  std::ranges::sort(table.edges);
  table.edges.erase(std::unique(table.edges.begin(), table.edges.end()), table.edges.end());
}

}  // namespace

const BlockRecord* BlockTable::find(std::int64_t id) const noexcept {
  const auto found = std::ranges::lower_bound(blocks, id, {}, &id_of);
  return found != blocks.end() && found->id == id ? &*found : nullptr;
}

BlockTable gather_blocks(const Communicator& ranks, const Status& ready, OwnBlocks& own,
                         const std::vector<double>& speeds) {
  TableStatement all = sums_over(ranks, ready, own.all());
  if (all.work.unknown > 0 && all.work.known > 0) {
    expect_work(ranks, own.all(), all.work);
    all.work.known += all.work.unknown;
  }
  std::vector<BlockRecord> records;
  std::vector<std::int64_t> lists;
  const Status listed = attempt(table_stage, [&] {
    for (const OwnBlock& block : own.all()) {
      BlockRecord& record = records.emplace_back(block.record);
      if (all.work.known <= 0) record.work = relative_work_of(record, all.work);
      if (!block.neighbours.empty()) add_list(lists, record.id, block.neighbours);
    }
  });
  BlockTable table;
  table.blocks = all_gather(ranks, listed, std::span<const BlockRecord>(records)).values;
  Gathered<std::int64_t> all_lists;
  if (all.with_neighbours > 0)
    all_lists = all_gather(ranks, Status(), std::span<const std::int64_t>(lists));
  vote(ranks, attempt(table_stage, [&] {
         std::ranges::sort(table.blocks, {}, &id_of);
         if (all.with_neighbours > 0) set_neighbours(table, all_lists.values);
         table.speeds = speeds;
         if (speeds.empty()) table.speeds.assign(static_cast<std::size_t>(ranks.size()), 1.0);
       }));
  table.is_measured = all.work.known > 0;
  return table;
}

RankShares gather_shares(const Communicator& ranks, const BlockTable& table, const OwnBlocks& own,
                         double load) {
  double of_blocks = 0;
  for (const BlockRecord& block : table.blocks)
    if (block.owner == ranks.rank()) of_blocks += block.work / own.speed();
  const double others = table.is_measured ? own.load_of_others() : 0;
  const double all = of_blocks + others;
  const double factor = load < 0 ? 1 : all > 0 ? load / all : 0;
  // A rank without blocks and other kernels may still have a load.
  const double rest = load > 0 && !(all > 0) ? load : others * factor;
  const RankShares::Share mine = {factor, rest};
  RankShares shares = {all_gather(ranks, Status(), std::span(&mine, 1)).values};
  const auto has_load = [](const RankShares::Share& share) { return share.factor > 0; };
  if (std::ranges::none_of(shares.of_ranks, has_load))
    for (RankShares::Share& share : shares.of_ranks) share.factor = 1;
  return shares;
}

// --- Descriptions --------------------------------------------------------------------------------

namespace {

void check_block(const BlockInfo& block) {
  const auto is_amount = [](double amount) { return std::isfinite(amount) && amount >= 0; };
  const std::string name = text_of_block(block.id);
  if (!is_amount(block.bytes) || !is_amount(block.weight))
    refuse_block(name + " has " + text_of(block.bytes) + " bytes and the weight " +
                     text_of(block.weight) + '.',
                 "Give numbers that are finite and not negative.");
  const auto& cells = block.cells;
  const bool has_cells = cells != std::array<std::int64_t, 3>{};
  if (has_cells && std::ranges::min(cells) <= 0)
    refuse_block(name + " has " + std::to_string(cells[0]) + " x " + std::to_string(cells[1]) +
                     " x " + std::to_string(cells[2]) + " cells.",
                 "Give a positive number for each axis: 1 for an axis that a block does not have.");
  if (block.centre &&
      !std::ranges::all_of(*block.centre, [](double x) { return std::isfinite(x); }))
    refuse_block("The centre of block " + std::to_string(block.id) + " is not finite.",
                 "Give finite coordinates, or leave out the centres of all blocks.");
}

OwnBlock block_from(const BlockInfo& info, int here) {
  OwnBlock block;
  BlockRecord& record = block.record;
  record.id = info.id;
  record.owner = here;
  record.bytes = info.bytes;
  record.weight = info.weight;
  record.cells = info.cells;
  record.has_centre = info.centre.has_value();
  if (info.centre) record.centre = *info.centre;
  record.ranks.first = record.ranks.previous = here;
  record.ranks.earlier.fill(BlockRanks::unknown);
  block.neighbours = info.neighbours;
  return block;
}

// Returns an Error if an id is in the lists of all ranks twice. Each rank returns the same.
std::optional<Error> twice_in(const Gathered<std::int64_t>& lists) {
  std::vector<std::pair<std::int64_t, int>> ids;
  for (int rank = 0; rank + 1 < std::ssize(lists.offsets); ++rank)
    for_each_list(lists.of_rank(rank), [&](std::int64_t id, std::span<const std::int64_t>) {
      ids.emplace_back(id, rank);
    });
  std::ranges::sort(ids);
  const auto found = std::ranges::adjacent_find(
      ids, [](const auto& a, const auto& b) { return a.first == b.first; });
  if (found == ids.end()) return std::nullopt;
  const int first = found->second, second = std::next(found)->second;
  const std::string where = first == second ? "twice on rank " + std::to_string(first)
                                            : "on rank " + std::to_string(first) + " and on rank " +
                                                  std::to_string(second);
  return Error(ErrorKind::bad_input, Where{table_stage},
               text_of_block(found->first) + " is " + where + '.',
               "Describe each block on one rank, and give each block its own id.");
}

// Blocks that were known before, on all ranks, and the blocks that replace them.
class Ancestors {
 public:
  Ancestors(std::vector<BlockRecord> known, std::span<const std::int64_t> lists)
      : known_(std::move(known)), children_(known_.size()) {
    std::ranges::sort(known_, {}, &id_of);
    for_each_list(lists, [&](std::int64_t id, std::span<const std::int64_t> made_from) {
      if (find(id) != nullptr) return;
      for (const std::int64_t parent : made_from)
        if (const BlockRecord* const found = find(parent))
          ++children_[static_cast<std::size_t>(found - known_.data())];
    });
  }

  const BlockRecord* find(std::int64_t id) const noexcept {
    const auto found = std::ranges::lower_bound(known_, id, {}, &id_of);
    return found != known_.end() && found->id == id ? &*found : nullptr;
  }

  // Gives a block what is known of it, or of the blocks that it replaces.
  void apply_to(OwnBlock& block, std::span<const std::int64_t> made_from) const {
    if (const BlockRecord* const same = find(block.record.id)) {
      block.record.work = same->work;
      block.record.is_measured = same->is_measured;
      block.record.ranks = same->ranks;
      return;
    }
    bool is_first = true;
    BlockSource& source = block.source;
    source.has_cells = true;
    for (const std::int64_t id : made_from) {
      const BlockRecord* const parent = find(id);
      if (parent == nullptr) continue;
      if (std::exchange(is_first, false)) block.record.ranks = parent->ranks;
      add(source, *parent);
    }
    source.has_cells = source.has_cells && source.work >= 0;
  }

 private:
  void add(BlockSource& source, const BlockRecord& parent) const {
    if (parent.work < 0) return;
    const auto index = static_cast<std::size_t>(&parent - known_.data());
    source.work = std::max(0.0, source.work) + parent.work / children_[index];
    source.weight += parent.weight / children_[index];
    source.has_cells = source.has_cells && parent.has_cells();
    const SideProducts products = products_of(parent.cells);
    for (std::size_t p = 0; p < products.size(); ++p)
      source.products[p] += products[p] / children_[index];
  }

  std::vector<BlockRecord> known_;  // by ascending id
  std::vector<double> children_;    // number of blocks that replace each
};

}  // namespace

OwnBlocks::List described(const Communicator& ranks, const Status& ready, OwnBlocks& own,
                          std::span<const BlockInfo> blocks, std::int64_t step) {
  std::vector<BlockRecord> known;
  std::vector<std::int64_t> lists;
  const Status checked = attempt(table_stage, [&] {
    if (!ready.ok()) throw Error(*ready.error());
    for (const BlockInfo& block : blocks) {
      check_block(block);
      add_list(lists, block.id, block.made_from);
    }
    for (const OwnBlock& block : own.all()) known.push_back(block.record);
  });
  const Gathered<std::int64_t> all =
      all_gather(ranks, checked, std::span<const std::int64_t>(lists));
  known = all_gather(ranks, Status(), std::span<const BlockRecord>(known)).values;
  std::optional<Error> twice;
  OwnBlocks::List list;
  vote(ranks, attempt(table_stage, [&] {
         twice = twice_in(all);
         if (twice) return;
         const Ancestors ancestors(std::move(known), all.values);
         for (const BlockInfo& block : blocks) {
           list.push_back(block_from(block, ranks.rank()));
           ancestors.apply_to(list.back(), block.made_from);
         }
         list = own.with_parts(std::move(list), step);
       }));
  if (twice) throw Error(*twice);
  expect_work(ranks, list, sums_over(ranks, Status(), list).work);
  return list;
}

}  // namespace evenkeel
