#include "request.hpp"

#include <evenkeel/metis/metis.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

using namespace evenkeel;  // NOLINT: this file defines the functions of METIS
using metis::refuse;

template <class Function>
int guarded(const Function& function) noexcept {
  return metis::guarded(METIS_OK, METIS_ERROR_INPUT, METIS_ERROR_MEMORY, METIS_ERROR, function);
}

template <class Index>
Index option(const Index* options, int place, Index otherwise) {
  return options != nullptr && options[place] >= 0 ? options[place] : otherwise;
}

// Throws an Error for options that would have an effect in METIS, and cannot have one here.
template <class Index>
void check_options(const Index* options) {
  const auto forbid = [&](int place, Index value, const char* what) {
    if (option(options, place, Index{0}) == value)
      refuse(std::string("METIS' option ") + what + " is set, which evenkeel does not have.",
             "Leave it out.");
  };
  forbid(METIS_OPTION_OBJTYPE, METIS_OBJTYPE_VOL, "OBJTYPE_VOL");
  forbid(METIS_OPTION_MINCONN, 1, "MINCONN");
  forbid(METIS_OPTION_CONTIG, 1, "CONTIG");
}

template <class T>
const T& required(const T* value, const char* name) {
  if (value == nullptr) refuse(std::string(name) + " is a null pointer.", "Give an address.");
  return *value;
}

// Sets the tolerance, which METIS uses if no list is given, and the effort. `ufactor` is METIS'
// default: 30 thousandths, or 1 for METIS_PartGraphRecursive.
template <class Index, class Real>
void take_options(const Index* options, Index ufactor, metis::Request<Index, Real>& request) {
  request.tolerance =
      1 + static_cast<double>(option(options, METIS_OPTION_UFACTOR, ufactor)) / 1000;
  if (option(options, METIS_OPTION_NCUTS, Index{1}) > 1) request.effort = Effort::best;
}

template <class Index, class Real>
int part_graph(Index* nvtxs, Index* ncon, Index* xadj, Index* adjncy, Index* vwgt, Index* adjwgt,
               Index* nparts, Real* tpwgts, Real* ubvec, Index* options, Index* edgecut,
               Index* part, Index ufactor) {
  return guarded([&] {
    metis::start();
    check_options(options);
    metis::Request<Index, Real> request;
    request.vertices = required(nvtxs, "nvtxs");
    request.constraints = ncon != nullptr ? static_cast<int>(*ncon) : 1;
    request.parts = static_cast<int>(required(nparts, "nparts"));
    request.numbering = option(options, METIS_OPTION_NUMBERING, Index{0});
    request.offsets = xadj;
    request.columns = adjncy;
    request.weights = vwgt;
    request.edge_weights = adjwgt;
    request.shares = tpwgts;
    request.tolerances = ubvec;
    take_options(options, ufactor, request);
    const std::int64_t cut = metis::cut(Communicator::self(), request, part);
    if (edgecut != nullptr) *edgecut = static_cast<Index>(cut);
  });
}

template <class Index>
int set_default_options(Index* options) {
  if (options == nullptr) return METIS_ERROR_INPUT;
  std::fill_n(options, METIS_NOPTIONS, Index{-1});
  return METIS_OK;
}

// --- Meshes --------------------------------------------------------------------------------------

// Rows of numbers, counted from 0.
template <class Index>
struct Rows {
  std::vector<Index> offsets = {0}, columns;
  Index count() const { return static_cast<Index>(offsets.size() - 1); }
  std::span<const Index> row(Index i) const {
    const auto at = static_cast<std::size_t>(i);
    return std::span<const Index>(columns).subspan(
        static_cast<std::size_t>(offsets[at]),
        static_cast<std::size_t>(offsets[at + 1] - offsets[at]));
  }
};

template <class Index>
Rows<Index> elements_of(const Index* ne, const Index* nn, const Index* eptr, const Index* eind,
                        Index numbering) {
  const Index elements = required(ne, "ne"), nodes = required(nn, "nn");
  Rows<Index> rows;
  if (elements > 0) {
    required(eptr, "eptr");
    required(eind, "eind");
  }
  for (Index e = 0; e < elements; ++e) rows.offsets.push_back(eptr[e + 1] - numbering);
  for (Index k = 0; elements > 0 && k < rows.offsets.back(); ++k) {
    rows.columns.push_back(eind[k] - numbering);
    if (rows.columns.back() < 0 || rows.columns.back() >= nodes)
      refuse("An element has node " + std::to_string(eind[k]) + " of " + std::to_string(nodes) +
                 " nodes.",
             "Give numbers of nodes, and the right numbering.");
  }
  return rows;
}

template <class Index>
Rows<Index> transposed(const Rows<Index>& rows, Index columns) {
  Rows<Index> other;
  other.offsets.assign(static_cast<std::size_t>(columns) + 1, 0);
  for (const Index c : rows.columns) ++other.offsets[static_cast<std::size_t>(c) + 1];
  for (std::size_t c = 1; c < other.offsets.size(); ++c) other.offsets[c] += other.offsets[c - 1];
  other.columns.resize(rows.columns.size());
  std::vector<Index> next(other.offsets.begin(), other.offsets.end() - 1);
  for (Index r = 0; r < rows.count(); ++r)
    for (const Index c : rows.row(r))
      other.columns[static_cast<std::size_t>(next[static_cast<std::size_t>(c)]++)] = r;
  return other;
}

// Rows are neighbours if they have at least `common` columns in common.
template <class Index>
Rows<Index> neighbours_of(const Rows<Index>& rows, const Rows<Index>& back, Index common) {
  Rows<Index> graph;
  std::vector<Index> shared(static_cast<std::size_t>(rows.count()), 0);
  std::vector<Index> met;
  for (Index r = 0; r < rows.count(); ++r) {
    met.clear();
    for (const Index c : rows.row(r))
      for (const Index other : back.row(c))
        if (other != r && shared[static_cast<std::size_t>(other)]++ == 0) met.push_back(other);
    std::sort(met.begin(), met.end());
    for (const Index other : met) {
      if (shared[static_cast<std::size_t>(other)] >= common) graph.columns.push_back(other);
      shared[static_cast<std::size_t>(other)] = 0;
    }
    graph.offsets.push_back(static_cast<Index>(graph.columns.size()));
  }
  return graph;
}

template <class Index>
Rows<Index> dual_of(const Rows<Index>& elements, Index nodes, Index common) {
  return neighbours_of(elements, transposed(elements, nodes), std::max<Index>(common, 1));
}
template <class Index>
Rows<Index> nodal_of(const Rows<Index>& elements, Index nodes) {
  return neighbours_of(transposed(elements, nodes), elements, Index{1});
}

template <class Index>
Index* on_heap(const std::vector<Index>& values, Index numbering) {
  auto* const memory =
      static_cast<Index*>(std::malloc(std::max<std::size_t>(values.size(), 1) * sizeof(Index)));
  if (memory == nullptr) throw std::bad_alloc();
  std::transform(values.begin(), values.end(), memory,
                 [&](Index value) { return value + numbering; });
  return memory;
}

template <class Index>
void give(const Rows<Index>& graph, Index numbering, Index** xadj, Index** adjncy) {
  required(xadj, "xadj");
  required(adjncy, "adjncy");
  Index* const offsets = on_heap(graph.offsets, numbering);
  try {
    *adjncy = on_heap(graph.columns, numbering);
  } catch (...) {
    std::free(offsets);
    throw;
  }
  *xadj = offsets;
}

// The part that most columns of a row have; the lower part if two have as many. A row without
// columns is in part 0.
template <class Index>
void by_majority(const Rows<Index>& rows, const Index* parts, Index count, Index numbering,
                 Index* of_rows) {
  std::vector<Index> votes(static_cast<std::size_t>(count), 0);
  for (Index r = 0; r < rows.count(); ++r) {
    Index best = 0;
    for (const Index c : rows.row(r)) ++votes[static_cast<std::size_t>(parts[c] - numbering)];
    for (const Index c : rows.row(r)) {
      const Index part = parts[c] - numbering;
      const Index mine = votes[static_cast<std::size_t>(part)];
      const Index most = votes[static_cast<std::size_t>(best)];
      if (mine > most || (mine == most && part < best)) best = part;
    }
    for (const Index c : rows.row(r)) votes[static_cast<std::size_t>(parts[c] - numbering)] = 0;
    of_rows[r] = best + numbering;
  }
}

template <class Index, class Real>
int part_mesh(Index* ne, Index* nn, Index* eptr, Index* eind, Index* vwgt, Index* nparts,
              Real* tpwgts, Index* options, Index* objval, Index* epart, Index* npart,
              const Index* ncommon) {
  return guarded([&] {
    metis::start();
    check_options(options);
    const Index numbering = option(options, METIS_OPTION_NUMBERING, Index{0});
    const Rows<Index> elements = elements_of(ne, nn, eptr, eind, numbering);
    const Rows<Index> graph =
        ncommon != nullptr ? dual_of(elements, *nn, *ncommon) : nodal_of(elements, *nn);
    required(epart, "epart");
    required(npart, "npart");
    metis::Request<Index, Real> request;
    request.vertices = graph.count();
    request.parts = static_cast<int>(required(nparts, "nparts"));
    request.offsets = graph.offsets.data();
    request.columns = graph.columns.data();
    request.weights = vwgt;
    request.shares = tpwgts;
    take_options(options, Index{30}, request);
    Index* const cut_parts = ncommon != nullptr ? epart : npart;
    const std::int64_t cut = metis::cut(Communicator::self(), request, cut_parts);
    for (Index v = 0; v < graph.count(); ++v) cut_parts[v] += numbering;
    if (ncommon != nullptr)
      by_majority(transposed(elements, *nn), epart, *nparts, numbering, npart);
    else
      by_majority(elements, npart, *nparts, numbering, epart);
    if (objval != nullptr) *objval = static_cast<Index>(cut);
  });
}

}  // namespace

// The functions for numbers of one width.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define EVENKEEL_METIS_FUNCTIONS(Index, Real, suffix)                                              \
  EK_API int METIS_PartGraphKway##suffix(                                                          \
      Index* nvtxs, Index* ncon, Index* xadj, Index* adjncy, Index* vwgt, Index*, Index* adjwgt,   \
      Index* nparts, Real* tpwgts, Real* ubvec, Index* options, Index* edgecut, Index* part) {     \
    return part_graph<Index, Real>(nvtxs, ncon, xadj, adjncy, vwgt, adjwgt, nparts, tpwgts, ubvec, \
                                   options, edgecut, part, 30);                                    \
  }                                                                                                \
  EK_API int METIS_PartGraphRecursive##suffix(                                                     \
      Index* nvtxs, Index* ncon, Index* xadj, Index* adjncy, Index* vwgt, Index*, Index* adjwgt,   \
      Index* nparts, Real* tpwgts, Real* ubvec, Index* options, Index* edgecut, Index* part) {     \
    return part_graph<Index, Real>(nvtxs, ncon, xadj, adjncy, vwgt, adjwgt, nparts, tpwgts, ubvec, \
                                   options, edgecut, part, 1);                                     \
  }                                                                                                \
  EK_API int METIS_SetDefaultOptions##suffix(Index* options) {                                     \
    return set_default_options(options);                                                           \
  }                                                                                                \
  EK_API int METIS_MeshToDual##suffix(Index* ne, Index* nn, Index* eptr, Index* eind,              \
                                      Index* ncommon, Index* numflag, Index** xadj,                \
                                      Index** adjncy) {                                            \
    return guarded([&] {                                                                           \
      const Index numbering = numflag != nullptr ? *numflag : Index{0};                            \
      give(dual_of(elements_of(ne, nn, eptr, eind, numbering), *nn, required(ncommon, "ncommon")), \
           numbering, xadj, adjncy);                                                               \
    });                                                                                            \
  }                                                                                                \
  EK_API int METIS_MeshToNodal##suffix(Index* ne, Index* nn, Index* eptr, Index* eind,             \
                                       Index* numflag, Index** xadj, Index** adjncy) {             \
    return guarded([&] {                                                                           \
      const Index numbering = numflag != nullptr ? *numflag : Index{0};                            \
      give(nodal_of(elements_of(ne, nn, eptr, eind, numbering), *nn), numbering, xadj, adjncy);    \
    });                                                                                            \
  }                                                                                                \
  EK_API int METIS_PartMeshDual##suffix(                                                           \
      Index* ne, Index* nn, Index* eptr, Index* eind, Index* vwgt, Index*, Index* ncommon,         \
      Index* nparts, Real* tpwgts, Index* options, Index* objval, Index* epart, Index* npart) {    \
    static const Index one = 1;                                                                    \
    return part_mesh<Index, Real>(ne, nn, eptr, eind, vwgt, nparts, tpwgts, options, objval,       \
                                  epart, npart, ncommon != nullptr ? ncommon : &one);              \
  }                                                                                                \
  EK_API int METIS_PartMeshNodal##suffix(                                                          \
      Index* ne, Index* nn, Index* eptr, Index* eind, Index* vwgt, Index*, Index* nparts,          \
      Real* tpwgts, Index* options, Index* objval, Index* epart, Index* npart) {                   \
    return part_mesh<Index, Real>(ne, nn, eptr, eind, vwgt, nparts, tpwgts, options, objval,       \
                                  epart, npart, nullptr);                                          \
  }
// NOLINTEND(bugprone-macro-parentheses)

extern "C" {

EVENKEEL_METIS_FUNCTIONS(std::int32_t, float, )
EVENKEEL_METIS_FUNCTIONS(std::int64_t, double, _ek64)
EK_API int METIS_Free(void* memory) {
  std::free(memory);
  return METIS_OK;
}

}  // extern "C"
