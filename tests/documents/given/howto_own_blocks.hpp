#pragma once

// Declares what the fragments of docs/howto/own_blocks.md use: a code that has its own blocks, and
// minimal substitutes for the interfaces of other codes. A substitute has only the names in the
// fragments, as the other code declares them.

#include <evenkeel/assign.hpp>
#include <evenkeel/evenkeel.hpp>
#include <evenkeel/stages.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ek = evenkeel;

// --- A code that has its own blocks --------------------------------------------------------------

struct Block {
  std::int64_t id, parent_id;
  std::array<double, 4096> cells;

  std::array<double, 3> centre() const;
};

extern const int steps, refined_every, rank, ranks, blocks;
void advance(Block& block);
std::vector<Block> refined(const std::vector<Block>& old, int step);
std::vector<ek::BlockInfo> described(const std::vector<Block>& blocks);
void move(std::vector<Block>& blocks, const ek::BlockProposal& wanted);
void begin_receive(Block& into, int from);
void begin_send(const Block& block, int to);
void wait_for_all();
Block& find(std::vector<Block>& blocks, std::int64_t id);
void erase(std::vector<Block>& blocks, std::int64_t id);

void advance_block(int block);
void move_block(std::int64_t block, int from, int to);

extern ek::Balancer balancer;
extern std::vector<std::array<double, 3>> centre;
extern std::vector<double> weight;
extern std::vector<std::int64_t> id;
extern std::vector<Block> blocks_here;
void send(int owner);

// --- A substitute for AMReX ----------------------------------------------------------------------

namespace amrex {
template <class T>
struct Vector : std::vector<T> {};
struct IntVect {};
struct Box {
  int length(int axis) const;
  int smallEnd(int axis) const;
};
struct BoxArray {};
struct DistributionMapping {
  explicit DistributionMapping(Vector<int>&& ranks);
};
struct FArrayBox {
  std::size_t nBytes() const;
};
struct MFIter;
struct MultiFab {
  MultiFab(const BoxArray& boxes, const DistributionMapping& ranks, int components,
           const IntVect& ghosts);
  const FArrayBox& operator[](const MFIter& at) const;
  const BoxArray& boxArray() const;
  int nComp() const;
  IntVect nGrowVect() const;
  void Redistribute(const MultiFab& from, int first, int to, int components, const IntVect& ghosts);
};
struct MFIter {
  explicit MFIter(const MultiFab& over);
  bool isValid() const;
  void operator++();
  int index() const;
  const Box& validbox() const;
};
}  // namespace amrex
void advance(amrex::MultiFab& state, const amrex::MFIter& at);

// --- Substitutes for Parthenon and AthenaK -------------------------------------------------------

namespace parthenon::Globals {
extern int nranks;
}
namespace global_variable {
extern int nranks;
}
struct Mesh {
  void LoadBalance(float* clist, int* rlist, int* slist, int* nlist, int nb);
};

// --- A substitute for p4est ----------------------------------------------------------------------

using p4est_locidx_t = std::int32_t;
using p4est_gloidx_t = std::int64_t;
struct p4est_t;
extern "C" p4est_gloidx_t p4est_partition_given(p4est_t* forest, const p4est_locidx_t* counts);

// --- A substitute for MFEM -----------------------------------------------------------------------

namespace mfem {
struct Vector {
  double operator()(int i) const;
};
template <class T>
struct Array {
  explicit Array(int size);
  T& operator[](int i);
};
struct ParMesh {
  int GetNE() const;
  void GetElementCenter(int element, Vector& centre);
  void Rebalance(const Array<int>& partition);
};
}  // namespace mfem

// --- A substitute for deal.II --------------------------------------------------------------------

namespace dealii {
template <int dim>
struct CellAccessor {
  bool is_locally_owned() const;
  std::array<double, dim> center() const;
  std::uint64_t global_active_cell_index() const;
};
template <int dim>
struct Triangulation {
  virtual ~Triangulation();
  std::vector<const CellAccessor<dim>*> active_cell_iterators() const;
};
struct Partitioner;
namespace parallel {
template <int dim>
struct TriangulationBase : Triangulation<dim> {
  MPI_Comm get_communicator() const;
  std::weak_ptr<const Partitioner> global_active_cell_index_partitioner() const;
};
}  // namespace parallel
namespace LinearAlgebra::distributed {
template <class Number>
struct Vector {
  explicit Vector(const std::shared_ptr<const Partitioner>& partitioner);
  Number& operator[](std::uint64_t i);
  void update_ghost_values() const;
};
}  // namespace LinearAlgebra::distributed
namespace RepartitioningPolicyTools {
template <int dim>
struct Base {
  virtual ~Base() = default;
  virtual LinearAlgebra::distributed::Vector<double> partition(
      const Triangulation<dim>& mesh) const = 0;
};
}  // namespace RepartitioningPolicyTools
}  // namespace dealii
