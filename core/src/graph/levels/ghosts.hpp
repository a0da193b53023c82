#pragma once

// Copies of values of vertices that other ranks own. Once per level, ranks agree on the vertices
// whose values they send to each other.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/messages.hpp>
#include <evenkeel/backends/comm/sparse_exchange.hpp>
#include <evenkeel/backends/comm/transfer.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/launch.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace evenkeel::graphs {

// The rank and the index of a vertex in one number. Addresses are ordered by rank, then by index.
using Address = std::uint64_t;
KOKKOS_INLINE_FUNCTION Address address_of(int rank, std::int32_t index) {
  return static_cast<Address>(static_cast<std::uint32_t>(rank)) << 32U |
         static_cast<std::uint32_t>(index);
}
KOKKOS_INLINE_FUNCTION int rank_of(Address address) { return static_cast<int>(address >> 32U); }
KOKKOS_INLINE_FUNCTION std::int32_t index_of(Address address) {
  return static_cast<std::int32_t>(address & 0xFFFFFFFFU);
}

// Writes the addresses of vertices of this rank and ghosts.
struct WriteAddresses {
  const std::int32_t* vertices;
  const Address* ghosts;
  std::int64_t owned;
  int rank;
  Address* addresses;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int32_t v = vertices[i];
    addresses[i] = v < owned ? address_of(rank, v) : ghosts[v - owned];
  }
};

namespace detail {
template <class T>
struct PackSent {
  const T* values;
  const std::int32_t* sent;
  int each;
  T* packed;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (int c = 0; c < each; ++c)
      packed[i * each + c] = values[static_cast<std::int64_t>(sent[i]) * each + c];
  }
};
}  // namespace detail

class Ghosts {
 public:
  // There are no ghosts.
  Ghosts() = default;

  // Collective. Makes a ghost for each vertex in `addresses`, which must be on other ranks,
  // distinct and ascending. `index_there` translates the addresses that other ranks give for this
  // rank: it maps the index in such an address to a vertex. If it is empty, the index is the
  // vertex. `status` is as in vote().
  Ghosts(const Communicator& communicator, const Status& status, const Space& space,
         exec::Array<Address> addresses, const exec::Array<std::int32_t>& index_there);

  // Collective. If ranks gave an `index_there`, replaces the addresses of ghosts by the addresses
  // of the mapped vertices. `owned` is the number of this rank's vertices.
  void learn_addresses(const Space& space, std::int64_t owned);

  std::int64_t count() const noexcept { return count_; }
  const exec::Array<Address>& addresses() const noexcept { return addresses_; }
  // The owned vertices that are ghosts on other ranks. A vertex occurs once for each such rank.
  const exec::Array<std::int32_t>& sent() const noexcept { return sent_; }

  // Collective. Copies the values of vertices to their ghosts. `values` has `each` adjacent values
  // per owned vertex, then per ghost. Waits for earlier kernels that write values.
  template <class T>
  void refresh(const exec::Array<T>& values, int each = 1, const Status& status = {}) const;

 private:
  const Communicator* communicator_ = nullptr;  // null if there is one rank
  std::int64_t count_ = 0;
  exec::Array<Address> addresses_;
  exec::Array<std::int32_t> sent_;
  std::vector<Note<std::int64_t>> to_, from_;
};

template <class T>
void Ghosts::refresh(const exec::Array<T>& values, int each, const Status& status) const {
  constexpr const char* label = "evenkeel::graph::refresh";
  if (communicator_ == nullptr) {
    if (!status.ok()) throw Error(*status.error());
    return;
  }
  exec::Array<T> packed;
  std::optional<Transfer> transfer;
  Status ready = status;
  if (ready.ok())
    ready = attempt("core/graph", [&] {
      const Space space = values.space();
      packed = {space, label, sent_.size() * each};
      exec::for_each(space, label, sent_.size(),
                     detail::PackSent<T>{values.data(), sent_.data(), each, packed.data()});
      std::vector<Send> sends;
      std::vector<Receive> receives;
      const auto values_of = [&](std::int64_t vertices) { return vertices * each; };
      add_messages(sends, to_, packed.data(), packed.memory(), values_of);
      add_messages(receives, from_, values.data() + values.size() - count_ * each, values.memory(),
                   values_of);
      space.fence(label);
      transfer.emplace(space, *communicator_, sends, receives);
    });
  vote(*communicator_, ready);
  transfer->run();
}

}  // namespace evenkeel::graphs
