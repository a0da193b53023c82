"""The C interface: its structures, and its functions by name."""

import ctypes as c
import os
import pathlib

# Of this package, which needs a library with the same major and minor version.
VERSION = "0.1.0"
BYTES = 0
types = {("i", 1): 1, ("u", 1): 2, ("i", 2): 3, ("u", 2): 4, ("i", 4): 5, ("u", 4): 6,
         ("i", 8): 7, ("u", 8): 8, ("f", 4): 9, ("f", 8): 10}

ALLOCATE = c.CFUNCTYPE(c.c_void_p, c.c_void_p, c.c_size_t)
REPLACE = c.CFUNCTYPE(None, c.c_void_p, c.c_void_p)


class Field(c.Structure):
    _fields_ = [("size", c.c_size_t), ("data", c.c_void_p), ("type", c.c_int),
                ("element_bytes", c.c_int), ("components", c.c_int), ("memory", c.c_int),
                ("count", c.c_int64), ("capacity", c.c_int64), ("object_stride", c.c_int64),
                ("component_stride", c.c_int64), ("name", c.c_char_p), ("owner", c.c_void_p),
                ("allocate", ALLOCATE), ("replace", REPLACE), ("release", REPLACE)]


class Set(c.Structure):
    _fields_ = [("size", c.c_size_t), ("position", c.POINTER(Field)),
                ("carried", c.POINTER(c.POINTER(Field))), ("carried_count", c.c_int),
                ("count", c.POINTER(c.c_int64)), ("weight", c.POINTER(Field)),
                ("type", c.POINTER(Field)), ("key", c.POINTER(Field)), ("group", c.POINTER(Field)),
                ("pinned", c.POINTER(Field)), ("bytes", c.POINTER(Field)),
                ("bytes_per_object", c.c_int64), ("reserve", c.c_double),
                ("rows", c.c_void_p), ("row_count", c.c_int), ("graph", c.c_void_p)]


class Move(c.Structure):
    _fields_ = [("size", c.c_size_t), ("moved", c.c_int), ("objects", c.c_int64),
                ("bytes", c.c_int64), ("lambda_", c.c_double)]


class Batch(c.Structure):
    _fields_ = [("count", c.c_int64), ("objects", c.c_void_p),
                ("fields", c.POINTER(Field)), ("field_count", c.c_int),
                ("cost", c.c_void_p), ("owner", c.c_int), ("is_borrowed", c.c_int)]


WORK = c.CFUNCTYPE(c.c_int, c.POINTER(Batch), c.c_void_p)


class LoanCall(c.Structure):
    _fields_ = [("size", c.c_size_t), ("count", c.c_int64),
                ("kept", c.POINTER(c.POINTER(Field))), ("inputs", c.POINTER(c.POINTER(Field))),
                ("results", c.POINTER(c.POINTER(Field))), ("kept_count", c.c_int),
                ("input_count", c.c_int), ("result_count", c.c_int), ("weight", c.POINTER(Field)),
                ("cost", c.POINTER(Field))]


class AssignOptions(c.Structure):
    _fields_ = [("size", c.c_size_t), ("ranks", c.c_int), ("from_", c.POINTER(c.c_int)),
                ("bytes", c.POINTER(c.c_double)), ("coordinates", c.POINTER(c.c_double)),
                ("dimensions", c.c_int), ("edges", c.POINTER(c.c_int)), ("edge_count", c.c_int64),
                ("most_blocks", c.c_int64), ("memory", c.POINTER(c.c_double)),
                ("speeds", c.POINTER(c.c_double)), ("target", c.c_double)]


def _pointers(names):
    return [(name, c.c_void_p) for name in names.split()]


class Graph(c.Structure):
    _fields_ = [("size", c.c_size_t)] + _pointers(
        "offsets columns id weight bytes position fixed edge_weight uncuttable")


class CutOptions(c.Structure):
    _fields_ = [("size", c.c_size_t), ("parts", c.c_int), ("speeds", c.c_void_p),
                ("from_", c.c_void_p), ("method", c.c_char_p)]


class CutReport(c.Structure):
    _fields_ = [("size", c.c_size_t), ("parts", c.c_int), ("empty", c.c_int),
                ("cut_edges", c.c_int64), ("cut", c.c_double), ("lambda_", c.c_double),
                ("bound", c.c_double), ("moved", c.c_double), ("moved_weight", c.c_double)]


class GraphProposal(c.Structure):
    _fields_ = [("count", c.c_int64), ("parts", c.c_void_p), ("report", CutReport)]


class Blocks(c.Structure):
    _fields_ = [("size", c.c_size_t), ("count", c.c_int64)] + _pointers(
        "id bytes weight cells centre first_neighbour neighbour first_parent parent")


class BlockProposal(c.Structure):
    _fields_ = [("counts", c.c_int64 * 3), ("lists", c.c_void_p * 3),
                ("blocks_moved", c.c_int64), ("bytes_moved", c.c_double),
                ("lambda_before", c.c_double), ("lambda_", c.c_double), ("bound", c.c_double),
                ("reason", c.c_char_p)]


class CellMoves(c.Structure):
    _fields_ = [("counts", c.c_int64 * 3), ("lists", c.c_void_p * 3)]


HOOK = c.CFUNCTYPE(c.c_int, c.c_void_p)


def _load():
    name = "libevenkeel_c.so." + VERSION.rpartition(".")[0]
    folders = [os.environ.get("EVENKEEL_LIB"), pathlib.Path(__file__).parent]
    paths = [pathlib.Path(folder) / name for folder in folders if folder]
    for path in [str(path) for path in paths if path.exists()] + [name]:
        try:
            return c.CDLL(path, mode=c.RTLD_GLOBAL)
        except OSError as error:
            reason = error
    raise ImportError(f"{name} is not found: {reason}. Set EVENKEEL_LIB to its folder.")


# The types of the arguments: p is an address, s a text, i and l are integers of 32 and 64 bits, and
# d is a real number.
_types = {"p": c.c_void_p, "s": c.c_char_p, "i": c.c_int, "l": c.c_int64, "d": c.c_double}
_arguments = """
stop: kernel_of:psip kernel_begin:p kernel_end:p loan_of:psp note_cost:pd restore:ps state:pp
finish:p accept:p drop:p owner:ppip
monitor_create:isp monitor_step:plip monitor_rebalanced:p
balancer_create:isp balancer_before_move:ppp balancer_after_move:ppp balancer_step:ppiiip
balancer_rebalance:ppip balancer_migrate:ppip balancer_adopt:ppi
block_balancer_create:isp block_balancer_describe:pp block_begin:pl block_end:pl
block_add_cost:pld block_balancer_step:piip block_balancer_propose:pp block_balancer_accept:ppl
graph_balancer_create:isp graph_balancer_step:ppiip graph_balancer_propose:ppsp
grid_balancer_create:isp grid_balancer_step:pppiip grid_balancer_propose:pppdp
grid_balancer_cells:ppp grid_balancer_domain:ppp grid_balancer_neighbours:ppp
directory_create:ipp directory_update:pp directory_look_up:pppp local_indices:ppp
halo_create:ppdip halo_around_ids:ppplp halo_exchange:ppp halo_sum_back:ppp halo_is_current:p
loan_run:ppppp assign:plpppp cut_graph:ipppp cut_nets:ilpppp cut_chain:pliplpp
partition:ipilpsip
"""

lib = _load()
for _function in _arguments.split():
    _name, _letters = _function.split(":")
    getattr(lib, f"ek_{_name}").argtypes = [_types[letter] for letter in _letters]
lib.ek_free.argtypes, lib.ek_free.restype = [c.c_void_p], None
lib.ek_lambda.argtypes, lib.ek_lambda.restype = [c.c_void_p], c.c_double
lib.ek_halo_ghosts.argtypes, lib.ek_halo_ghosts.restype = [c.c_void_p], c.c_int64
lib.ek_message.restype = lib.ek_version.restype = c.c_char_p
