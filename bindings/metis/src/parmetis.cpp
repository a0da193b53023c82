#include "request.hpp"

#include <evenkeel/backends/config.hpp>

#if EVENKEEL_HAS_MPI

#include <evenkeel/metis/parmetis.h>

namespace {

using namespace evenkeel;  // NOLINT: this file defines the functions of ParMETIS
using metis::refuse;
using GraphRequest = metis::Request<idx_t, real_t>;

// `finish` adds what is special to a function.
template <class Finish>
int part(MPI_Comm* comm, const idx_t* vtxdist, const idx_t* xadj, const idx_t* adjncy,
         const idx_t* vwgt, const idx_t* adjwgt, const idx_t* wgtflag, const idx_t* numflag,
         const idx_t* ncon, const idx_t* nparts, const real_t* tpwgts, const real_t* ubvec,
         idx_t* edgecut, idx_t* parts, const Finish& finish) {
  return metis::guarded(METIS_OK, METIS_ERROR, METIS_ERROR, METIS_ERROR, [&] {
    metis::start();
    if (comm == nullptr) refuse("The communicator is a null pointer.", "Give its address.");
    const Communicator ranks(*comm);
    GraphRequest request;
    stages::vote(ranks, stages::attempt(metis::stage_name, [&] {
                   if (vtxdist == nullptr || nparts == nullptr)
                     refuse("vtxdist or nparts is a null pointer.", "Give addresses.");
                   const int weights = wgtflag != nullptr ? static_cast<int>(*wgtflag) : 0;
                   request.vertices = vtxdist[ranks.rank() + 1] - vtxdist[ranks.rank()];
                   request.constraints = ncon != nullptr ? static_cast<int>(*ncon) : 1;
                   request.parts = static_cast<int>(*nparts);
                   request.numbering = numflag != nullptr ? *numflag : 0;
                   request.offsets = xadj;
                   request.columns = adjncy;
                   request.weights = (weights & 2) != 0 ? vwgt : nullptr;
                   request.edge_weights = (weights & 1) != 0 ? adjwgt : nullptr;
                   request.shares = tpwgts;
                   request.tolerances = ubvec;
                   request.tolerance = 1.05;
                 }));
    finish(ranks, request);
    const std::int64_t cut = metis::cut(ranks, request, parts);
    if (edgecut != nullptr) *edgecut = static_cast<idx_t>(cut);
  });
}

constexpr auto as_it_is = [](const Communicator&, GraphRequest&) {};

// The present parts: those in `parts` if the options say that they are not the ranks, and otherwise
// the ranks.
std::vector<idx_t> present(const Communicator& ranks, const GraphRequest& request,
                           const idx_t* options, const idx_t* parts) {
  constexpr idx_t uncoupled = 2;
  constexpr int place = 3;  // of this choice among the options
  const bool given =
      options != nullptr && options[0] == 1 && options[place] == uncoupled && parts != nullptr;
  std::vector<idx_t> now(static_cast<std::size_t>(request.vertices),
                         static_cast<idx_t>(ranks.rank()));
  for (std::size_t v = 0; given && v < now.size(); ++v) now[v] = parts[v] - request.numbering;
  return now;
}

}  // namespace

extern "C" {

EK_API int ParMETIS_V3_PartKway(idx_t* vtxdist, idx_t* xadj, idx_t* adjncy, idx_t* vwgt,
                                idx_t* adjwgt, idx_t* wgtflag, idx_t* numflag, idx_t* ncon,
                                idx_t* nparts, real_t* tpwgts, real_t* ubvec, idx_t*,
                                idx_t* edgecut, idx_t* parts, MPI_Comm* comm) {
  return part(comm, vtxdist, xadj, adjncy, vwgt, adjwgt, wgtflag, numflag, ncon, nparts, tpwgts,
              ubvec, edgecut, parts, as_it_is);
}

EK_API int ParMETIS_V3_PartGeomKway(idx_t* vtxdist, idx_t* xadj, idx_t* adjncy, idx_t* vwgt,
                                    idx_t* adjwgt, idx_t* wgtflag, idx_t* numflag, idx_t* ndims,
                                    real_t* xyz, idx_t* ncon, idx_t* nparts, real_t* tpwgts,
                                    real_t* ubvec, idx_t*, idx_t* edgecut, idx_t* parts,
                                    MPI_Comm* comm) {
  return part(comm, vtxdist, xadj, adjncy, vwgt, adjwgt, wgtflag, numflag, ncon, nparts, tpwgts,
              ubvec, edgecut, parts, [&](const Communicator&, GraphRequest& request) {
                request.position = xyz;
                request.dimensions = ndims != nullptr ? static_cast<int>(*ndims) : 0;
              });
}

EK_API int ParMETIS_V3_PartGeom(idx_t* vtxdist, idx_t* ndims, real_t* xyz, idx_t* parts,
                                MPI_Comm* comm) {
  return metis::guarded(METIS_OK, METIS_ERROR, METIS_ERROR, METIS_ERROR, [&] {
    metis::start();
    if (comm == nullptr || vtxdist == nullptr || ndims == nullptr)
      refuse("comm, vtxdist or ndims is a null pointer.", "Give addresses.");
    int rank = 0;
    MPI_Comm_rank(*comm, &rank);
    const std::int64_t count = vtxdist[rank + 1] - vtxdist[rank];
    std::vector<double> points;
    for (std::int64_t i = 0; xyz != nullptr && i < count * *ndims; ++i)
      points.push_back(static_cast<double>(xyz[i]));
    std::vector<int> found(static_cast<std::size_t>(count));
    const int status =
        ek_partition(static_cast<int>(MPI_Comm_c2f(*comm)), points.data(), static_cast<int>(*ndims),
                     count, nullptr, nullptr, 0, found.data());
    if (status != EK_SUCCESS) refuse(ek_message(), "See above.");
    if (parts == nullptr && count > 0) refuse("There is no room for the parts.", "Give a list.");
    std::copy(found.begin(), found.end(), parts);
  });
}

EK_API int ParMETIS_V3_RefineKway(idx_t* vtxdist, idx_t* xadj, idx_t* adjncy, idx_t* vwgt,
                                  idx_t* adjwgt, idx_t* wgtflag, idx_t* numflag, idx_t* ncon,
                                  idx_t* nparts, real_t* tpwgts, real_t* ubvec, idx_t* options,
                                  idx_t* edgecut, idx_t* parts, MPI_Comm* comm) {
  std::vector<idx_t> now;
  return part(comm, vtxdist, xadj, adjncy, vwgt, adjwgt, wgtflag, numflag, ncon, nparts, tpwgts,
              ubvec, edgecut, parts, [&](const Communicator& ranks, GraphRequest& request) {
                now = present(ranks, request, options, parts);
                request.from = now.data();
              });
}

EK_API int ParMETIS_V3_AdaptiveRepart(idx_t* vtxdist, idx_t* xadj, idx_t* adjncy, idx_t* vwgt,
                                      idx_t* vsize, idx_t* adjwgt, idx_t* wgtflag, idx_t* numflag,
                                      idx_t* ncon, idx_t* nparts, real_t* tpwgts, real_t* ubvec,
                                      real_t* ipc2redist, idx_t* options, idx_t* edgecut,
                                      idx_t* parts, MPI_Comm* comm) {
  std::vector<idx_t> now;
  return part(
      comm, vtxdist, xadj, adjncy, vwgt, adjwgt, wgtflag, numflag, ncon, nparts, tpwgts, ubvec,
      edgecut, parts, [&](const Communicator& ranks, GraphRequest& request) {
        now = present(ranks, request, options, parts);
        request.from = now.data();
        request.sizes = vsize;
        // ParMETIS adds ipc2redist x cut edges and the sizes of moved vertices. Here the
        // cost of moving a vertex of the average size is a number of average edges.
        std::array<double, 4> sums = {0, static_cast<double>(request.vertices), 0, 0};
        const std::int64_t edges = xadj != nullptr ? xadj[request.vertices] - request.numbering : 0;
        sums[3] = static_cast<double>(edges);
        for (std::int64_t v = 0; v < request.vertices; ++v)
          sums[0] += vsize != nullptr ? static_cast<double>(vsize[v]) : 1;
        for (std::int64_t e = 0; e < edges; ++e)
          sums[2] +=
              request.edge_weights != nullptr ? static_cast<double>(request.edge_weights[e]) : 1;
        ranks.all_reduce(std::span<double>(sums), Reduction::sum);
        const double itr = ipc2redist != nullptr ? static_cast<double>(*ipc2redist) : 1000;
        if (itr > 0 && sums[1] > 0 && sums[2] > 0)
          request.moving_cost = sums[0] / sums[1] / itr / (sums[2] / sums[3]);
      });
}

}  // extern "C"

#endif
