#ifndef EVENKEEL_METIS_H
#define EVENKEEL_METIS_H

/* The signatures of METIS 5.1, over ek::cut_graph: link evenkeel::metis (libevenkeel_metis), and
 * compile with -I<prefix>/include/evenkeel/metis. Parts are never empty, and the same graph is cut
 * in the same way in every run. An option that evenkeel does not have is METIS_ERROR_INPUT, with a
 * line on stderr. Node orderings (METIS_NodeND) are not here. docs/metis.md has the details. */

#include <stdint.h>

#ifndef IDXTYPEWIDTH
#define IDXTYPEWIDTH 32
#endif
#ifndef REALTYPEWIDTH
#define REALTYPEWIDTH 32
#endif
#if IDXTYPEWIDTH == 64
typedef int64_t idx_t;
#else
typedef int32_t idx_t;
#endif
#if REALTYPEWIDTH == 64
typedef double real_t;
#else
typedef float real_t;
#endif

#define METIS_VER_MAJOR 5
#define METIS_VER_MINOR 1
#define METIS_VER_SUBMINOR 0
#define METIS_NOPTIONS 40

enum { METIS_OK = 1, METIS_ERROR_INPUT = -2, METIS_ERROR_MEMORY = -3, METIS_ERROR = -4 };

/* The places of options. Those that evenkeel reads: */
enum {
  METIS_OPTION_OBJTYPE = 1,
  METIS_OPTION_MINCONN = 10,
  METIS_OPTION_CONTIG = 11,
  METIS_OPTION_UFACTOR = 16,
  METIS_OPTION_NUMBERING = 17
};
/* Those that choose a way to METIS' result, and have no effect here: */
enum {
  METIS_OPTION_PTYPE = 0,
  METIS_OPTION_CTYPE = 2,
  METIS_OPTION_IPTYPE = 3,
  METIS_OPTION_RTYPE = 4,
  METIS_OPTION_DBGLVL = 5,
  METIS_OPTION_NITER = 6,
  METIS_OPTION_NCUTS = 7,
  METIS_OPTION_SEED = 8,
  METIS_OPTION_NO2HOP = 9
};
enum { METIS_OBJTYPE_CUT = 0, METIS_OBJTYPE_VOL = 1 };
enum { METIS_PTYPE_RB = 0, METIS_PTYPE_KWAY = 1 };

#ifdef __cplusplus
extern "C" {
#endif

/* Functions of 64-bit numbers have other names in the library. */
#if IDXTYPEWIDTH == 64
#define METIS_PartGraphKway METIS_PartGraphKway_ek64
#define METIS_PartGraphRecursive METIS_PartGraphRecursive_ek64
#define METIS_SetDefaultOptions METIS_SetDefaultOptions_ek64
#define METIS_MeshToDual METIS_MeshToDual_ek64
#define METIS_MeshToNodal METIS_MeshToNodal_ek64
#define METIS_PartMeshDual METIS_PartMeshDual_ek64
#define METIS_PartMeshNodal METIS_PartMeshNodal_ek64
#if REALTYPEWIDTH != 64
#error "evenkeel has METIS' functions for 32-bit or for 64-bit numbers, not for a mixture"
#endif
#elif REALTYPEWIDTH != 32
#error "evenkeel has METIS' functions for 32-bit or for 64-bit numbers, not for a mixture"
#endif

int METIS_PartGraphKway(idx_t* nvtxs, idx_t* ncon, idx_t* xadj, idx_t* adjncy, idx_t* vwgt,
                        idx_t* vsize, idx_t* adjwgt, idx_t* nparts, real_t* tpwgts, real_t* ubvec,
                        idx_t* options, idx_t* edgecut, idx_t* part);
int METIS_PartGraphRecursive(idx_t* nvtxs, idx_t* ncon, idx_t* xadj, idx_t* adjncy, idx_t* vwgt,
                             idx_t* vsize, idx_t* adjwgt, idx_t* nparts, real_t* tpwgts,
                             real_t* ubvec, idx_t* options, idx_t* edgecut, idx_t* part);
int METIS_SetDefaultOptions(idx_t* options);
int METIS_MeshToDual(idx_t* ne, idx_t* nn, idx_t* eptr, idx_t* eind, idx_t* ncommon,
                     idx_t* numflag, idx_t** xadj, idx_t** adjncy);
int METIS_MeshToNodal(idx_t* ne, idx_t* nn, idx_t* eptr, idx_t* eind, idx_t* numflag, idx_t** xadj,
                      idx_t** adjncy);
int METIS_PartMeshDual(idx_t* ne, idx_t* nn, idx_t* eptr, idx_t* eind, idx_t* vwgt, idx_t* vsize,
                       idx_t* ncommon, idx_t* nparts, real_t* tpwgts, idx_t* options,
                       idx_t* objval, idx_t* epart, idx_t* npart);
int METIS_PartMeshNodal(idx_t* ne, idx_t* nn, idx_t* eptr, idx_t* eind, idx_t* vwgt, idx_t* vsize,
                        idx_t* nparts, real_t* tpwgts, idx_t* options, idx_t* objval,
                        idx_t* epart, idx_t* npart);
int METIS_Free(void* memory);

#ifdef __cplusplus
}
#endif

#endif
