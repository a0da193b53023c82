#include "graph/levels/merge_rows.hpp"
#include "graph/stage.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>

#include <algorithm>
#include <utility>

namespace evenkeel::graphs {

namespace {

// When an edge is added, the entry of its column in the merged row must be found. If there is
// memory for a table of all columns for each block, that table gives the entry. Otherwise a short
// row is searched, and a longer row has a hash table. The rows are the same in all cases.
constexpr std::int64_t short_row = 16;

KOKKOS_INLINE_FUNCTION std::int64_t slots_for(std::int64_t most_entries) {
  std::int64_t slots = 1;
  while (slots < 2 * most_entries) slots *= 2;
  return slots;
}

// A row that is being merged.
struct RowInProgress {
  Vertex* columns;
  EdgeUnits* weights;
  std::int32_t* places;  // the entry of each column, if the column is in this row; may be null
  std::int32_t* slots;   // the hash table, all 0 before and after; may be null
  std::int64_t mask;
  std::int64_t length = 0;

  static KOKKOS_FUNCTION std::int64_t hash(Vertex column) {
    return static_cast<std::int64_t>((static_cast<std::uint32_t>(column) * 0x9E3779B1U) >> 7U);
  }
  KOKKOS_FUNCTION void raise(std::int64_t at, EdgeUnits weight) const {
    const EdgeUnits room = heaviest_edge - weights[at];
    weights[at] += weight < room ? weight : room;
  }
  KOKKOS_FUNCTION void append(Vertex column, EdgeUnits weight) {
    columns[length] = column;
    weights[length] = weight;
    ++length;
  }
  // This does not branch on whether the row has the column already, because no processor can
  // predict that. An unwanted entry is written after the end of the row, where there is room, and
  // the next entry overwrites it.
  KOKKOS_FUNCTION void add_by_place(Vertex column, EdgeUnits weight, bool is_wanted) {
    const std::int64_t there = places[column];  // may be out of date, from another row
    const bool is_new = (there >= length) | (columns[there < length ? there : 0] != column);
    const std::int64_t at = is_new ? length : there;
    const EdgeUnits before = is_new ? 0 : weights[at];
    const EdgeUnits room = heaviest_edge - before;
    places[column] = static_cast<std::int32_t>(at);
    columns[at] = column;
    weights[at] = before + (weight < room ? weight : room);
    length += static_cast<std::int64_t>(is_new & is_wanted);
  }
  KOKKOS_FUNCTION void add(Vertex column, EdgeUnits weight) {
    if (slots == nullptr) {
      for (std::int64_t at = 0; at < length; ++at)
        if (columns[at] == column) return raise(at, weight);
      return append(column, weight);
    }
    for (std::int64_t slot = hash(column) & mask;; slot = (slot + 1) & mask) {
      const std::int32_t at = slots[slot] - 1;
      if (at < 0) {
        slots[slot] = static_cast<std::int32_t>(length + 1);
        return append(column, weight);
      }
      if (columns[at] == column) return raise(at, weight);
    }
  }
  KOKKOS_FUNCTION void clear_slots() const {
    if (slots == nullptr) return;
    for (std::int64_t i = 0; i < length; ++i) {
      std::int64_t slot = hash(columns[i]) & mask;
      while (slots[slot] != 0) {
        slots[slot] = 0;
        slot = (slot + 1) & mask;
      }
    }
  }
};

// Divides the clusters into blocks. The rows of a block are merged one after the other. On a host
// there is a block per thread, on a device a block per cluster.
struct MergeBlocks {
  Members members;
  std::int64_t clusters, blocks;
  const std::int64_t* room;    // the first entry of each block in `columns` and `weights`
  const std::int64_t* tables;  // the first slot of each block's table in `slots`
  std::int32_t* slots;
  bool has_places;  // if true, each table is a table of all columns
  Vertex* columns;
  EdgeUnits* weights;
  std::int64_t* lengths;

  KOKKOS_FUNCTION exec::Share share(std::int64_t block) const {
    const std::int64_t each = clusters / blocks, rest = clusters % blocks;
    const std::int64_t begin = each * block + (block < rest ? block : rest);
    return {begin, begin + each + (block < rest ? 1 : 0)};
  }
  KOKKOS_FUNCTION void operator()(std::int64_t block) const {
    const auto [begin, end] = share(block);
    std::int64_t at = room[block];
    for (std::int64_t cluster = begin; cluster < end; ++cluster) {
      const std::int64_t length =
          has_places ? merge_by_place(cluster, at, block) : merge(cluster, at, block);
      lengths[cluster] = length;
      at += length;
    }
  }
  KOKKOS_FUNCTION std::int64_t merge_by_place(std::int64_t cluster, std::int64_t at,
                                              std::int64_t block) const {
    RowInProgress row{columns + at, weights + at, slots + tables[block], nullptr, 0};
    members.for_each_edge(cluster, [&](Vertex column, EdgeUnits weight) {
      row.add_by_place(column, weight, column != cluster);
    });
    return row.length;
  }
  KOKKOS_FUNCTION std::int64_t merge(std::int64_t cluster, std::int64_t at,
                                     std::int64_t block) const {
    const std::int64_t most = members.most_entries(cluster);
    const bool is_short = most <= short_row;
    RowInProgress row{columns + at, weights + at, nullptr,
                      is_short ? nullptr : slots + tables[block],
                      is_short ? 0 : slots_for(most) - 1};
    members.for_each_edge(cluster, [&](Vertex column, EdgeUnits weight) {
      if (column != cluster) row.add(column, weight);
    });
    row.clear_slots();
    return row.length;
  }
};

// Measures the room for entries and the size of the table that each block needs.
struct MeasureBlocks {
  MergeBlocks merge;
  std::int64_t all_columns;
  std::int64_t *room, *tables;
  KOKKOS_FUNCTION void operator()(std::int64_t block) const {
    const auto [begin, end] = merge.share(block);
    std::int64_t entries = 0, largest = 0;
    for (std::int64_t cluster = begin; cluster < end; ++cluster) {
      const std::int64_t most = merge.members.most_entries(cluster);
      entries += most;
      largest = most > largest ? most : largest;
    }
    room[block] = entries;
    tables[block] = merge.has_places ? all_columns : largest > short_row ? slots_for(largest) : 0;
  }
};

// Moves the rows of a block from the room of the block to their final places.
struct CloseRanks {
  MergeBlocks merge;
  const std::int64_t* offsets;
  Vertex* columns;
  EdgeUnits* weights;
  KOKKOS_FUNCTION void operator()(std::int64_t block) const {
    const auto [begin, end] = merge.share(block);
    const std::int64_t from = merge.room[block], to = offsets[begin];
    for (std::int64_t i = 0; i < offsets[end] - to; ++i) {
      columns[to + i] = merge.columns[from + i];
      weights[to + i] = merge.weights[from + i];
    }
  }
};

template <class Instance>
Rows merged(const Instance& instance, const Space& space, const Members& members,
            std::int64_t clusters, const MergeRoom& most) {
  const std::int64_t blocks =
      is_device<Instance>
          ? clusters
          : std::min<std::int64_t>(exec::host_threads(), std::max<std::int64_t>(clusters, 1));
  Rows rows;
  rows.offsets = {space, contract_label, clusters + 1};
  const auto room = exec::filled<std::int64_t>(space, contract_label, blocks, 0);
  const auto tables = exec::filled<std::int64_t>(space, contract_label, blocks, 0);
  constexpr std::int64_t most_tables = 8;  // number of tables of all columns
  MergeBlocks merge{members,
                    clusters,
                    std::max<std::int64_t>(blocks, 1),
                    room.data(),
                    tables.data(),
                    nullptr,
                    !is_device<Instance> && blocks <= most_tables,
                    nullptr,
                    nullptr,
                    rows.offsets.data()};
  std::int64_t entries = most.entries, all_slots = most.columns;
  if (blocks != 1 || !merge.has_places) {
    exec::for_each(instance, contract_label, blocks,
                   MeasureBlocks{merge, most.columns, room.data(), tables.data()});
    entries = exec::sum_up(room);
    all_slots = exec::sum_up(tables);
  }
  const auto slots = exec::filled<std::int32_t>(space, contract_label, all_slots, 0);
  rows.columns = {space, contract_label, entries};
  rows.weights = {space, contract_label, entries};
  merge.slots = slots.data();
  merge.columns = rows.columns.data();
  merge.weights = rows.weights.data();
  exec::for_each(instance, contract_label, blocks, merge);
  const std::int64_t kept = exec::to_offsets(rows.offsets);
  if (blocks <= 1) {
    rows.columns.resize(kept);
    rows.weights.resize(kept);
    return rows;
  }
  exec::Array<Vertex> columns(space, contract_label, kept);
  exec::Array<EdgeUnits> weights(space, contract_label, kept);
  exec::for_each(instance, contract_label, blocks,
                 CloseRanks{merge, rows.offsets.data(), columns.data(), weights.data()});
  exec::fence(instance, contract_label);
  rows.columns = std::move(columns);
  rows.weights = std::move(weights);
  return rows;
}

}  // namespace

Rows merge_rows(const Space& space, const Members& members, std::int64_t clusters,
                const MergeRoom& most) {
  return with_space(space, [&](const auto& instance) {
    return merged(instance, space, members, clusters, most);
  });
}

}  // namespace evenkeel::graphs
