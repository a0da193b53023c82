#ifndef EVENKEEL_PARMETIS_H
#define EVENKEEL_PARMETIS_H

/* The signatures of ParMETIS 4 with 32-bit numbers, over ek::cut_graph and ek::stages: link
 * evenkeel::metis. */

#include "metis.h"

#include <mpi.h>

#if IDXTYPEWIDTH != 32
#error "evenkeel has ParMETIS' functions for 32-bit numbers only"
#endif

#ifdef __cplusplus
extern "C" {
#endif

int ParMETIS_V3_PartKway(idx_t* vtxdist, idx_t* xadj, idx_t* adjncy, idx_t* vwgt, idx_t* adjwgt,
                         idx_t* wgtflag, idx_t* numflag, idx_t* ncon, idx_t* nparts,
                         real_t* tpwgts, real_t* ubvec, idx_t* options, idx_t* edgecut,
                         idx_t* part, MPI_Comm* comm);
int ParMETIS_V3_PartGeomKway(idx_t* vtxdist, idx_t* xadj, idx_t* adjncy, idx_t* vwgt,
                             idx_t* adjwgt, idx_t* wgtflag, idx_t* numflag, idx_t* ndims,
                             real_t* xyz, idx_t* ncon, idx_t* nparts, real_t* tpwgts,
                             real_t* ubvec, idx_t* options, idx_t* edgecut, idx_t* part,
                             MPI_Comm* comm);
/* Cuts points into one part for each rank, along a Hilbert curve. */
int ParMETIS_V3_PartGeom(idx_t* vtxdist, idx_t* ndims, real_t* xyz, idx_t* part, MPI_Comm* comm);
int ParMETIS_V3_RefineKway(idx_t* vtxdist, idx_t* xadj, idx_t* adjncy, idx_t* vwgt, idx_t* adjwgt,
                           idx_t* wgtflag, idx_t* numflag, idx_t* ncon, idx_t* nparts,
                           real_t* tpwgts, real_t* ubvec, idx_t* options, idx_t* edgecut,
                           idx_t* part, MPI_Comm* comm);
int ParMETIS_V3_AdaptiveRepart(idx_t* vtxdist, idx_t* xadj, idx_t* adjncy, idx_t* vwgt,
                               idx_t* vsize, idx_t* adjwgt, idx_t* wgtflag, idx_t* numflag,
                               idx_t* ncon, idx_t* nparts, real_t* tpwgts, real_t* ubvec,
                               real_t* ipc2redist, idx_t* options, idx_t* edgecut, idx_t* part,
                               MPI_Comm* comm);

#ifdef __cplusplus
}
#endif

#endif
