#pragma once

// Copies out the pairs that lie between the runs of an array; the array stays as it is.

#include "exec/sort/runs.hpp"
#include "exec/sort/workers.hpp"

#include <cstdint>

namespace evenkeel::exec::host_sort {

// The keys, original positions and indices of the strays; owned by the caller.
template <class Key, class Index>
struct Strays {
  Key* keys;
  Index* positions;
  Index* indices;
  std::int64_t count;
};

// The strays at [begin, end), which lie between two runs and are preceded by `rank` kept pairs.
template <class Key, class Index>
void pull_out(const Key* keys, std::int64_t begin, std::int64_t end, std::int64_t rank,
              const Strays<Key, Index>& strays) {
  for (std::int64_t position = begin; position < end; ++position) {
    strays.keys[position - rank] = keys[position];
    strays.positions[position - rank] = static_cast<Index>(position);
  }
}

// Writes keys and positions of all strays among `keys`, in the order in which they lie there.
template <class Key, class Index>
void pull_out_strays(const Workers& workers, const Key* keys, const Runs& runs,
                     const Strays<Key, Index>& strays) {
  workers.run([&](int worker) {
    const std::int64_t stop = workers.begin_of_share(worker + 1, runs.count);
    for (auto run = workers.begin_of_share(worker, runs.count); run < stop; ++run)
      pull_out(keys, run == 0 ? 0 : runs.data[run - 1].end, runs.data[run].begin,
               runs.data[run].rank, strays);
  });
  pull_out(keys, runs.data[runs.count - 1].end, runs.kept + strays.count, runs.kept, strays);
}

}  // namespace evenkeel::exec::host_sort
