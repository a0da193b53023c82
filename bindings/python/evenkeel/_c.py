"""The C interface: its structures, and its functions by name."""

import ctypes as c
import os
import pathlib

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
                ("bytes_per_object", c.c_int64), ("reserve", c.c_double)]


class Move(c.Structure):
    _fields_ = [("size", c.c_size_t), ("moved", c.c_int), ("objects", c.c_int64),
                ("bytes", c.c_int64), ("lambda_", c.c_double)]


class Batch(c.Structure):
    _fields_ = [("count", c.c_int64), ("objects", c.POINTER(c.c_int64)),
                ("fields", c.POINTER(Field)), ("field_count", c.c_int),
                ("cost", c.POINTER(c.c_double)), ("owner", c.c_int), ("is_borrowed", c.c_int)]


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


class GraphOptions(c.Structure):
    _fields_ = [("size", c.c_size_t), ("parts", c.c_int), ("weights", c.POINTER(c.c_double)),
                ("weight_count", c.c_int), ("edge_weights", c.POINTER(c.c_double)),
                ("from_", c.POINTER(c.c_int)), ("speeds", c.POINTER(c.c_double)),
                ("position", c.POINTER(c.c_double)), ("dimensions", c.c_int),
                ("target", c.c_double)]


def _load():
    name = "libevenkeel_c.so"
    folders = [os.environ.get("EVENKEEL_LIB"), pathlib.Path(__file__).parent]
    paths = [pathlib.Path(folder) / name for folder in folders if folder]
    for path in [str(path) for path in paths if path.exists()] + [name]:
        try:
            return c.CDLL(path, mode=c.RTLD_GLOBAL)
        except OSError as error:
            reason = error
    raise ImportError(f"{name} is not found: {reason}. Set EVENKEEL_LIB to its folder.")


lib = _load()
for name, arguments in {
        "ek_stop": [], "ek_kernel_begin": [c.c_void_p], "ek_kernel_end": [c.c_void_p],
        "ek_loan_run": [c.c_void_p, c.POINTER(LoanCall), WORK, c.c_void_p, c.POINTER(c.c_int)],
        "ek_assign": [c.POINTER(c.c_double), c.c_int64, c.POINTER(AssignOptions),
                      c.POINTER(c.c_int), c.POINTER(c.c_double), c.POINTER(c.c_double)],
        "ek_cut_graph": [c.c_int, c.c_int64, c.POINTER(c.c_int64), c.POINTER(c.c_int64),
                         c.POINTER(GraphOptions), c.POINTER(c.c_int), c.POINTER(c.c_int64)],
        "ek_partition": [c.c_int, c.POINTER(c.c_double), c.c_int, c.c_int64,
                         c.POINTER(c.c_double), c.c_char_p, c.c_int, c.POINTER(c.c_int)],
        "ek_monitor_step": [c.c_void_p, c.c_int64, c.c_int, c.POINTER(c.c_int)],
        "ek_monitor_rebalanced": [c.c_void_p],
        "ek_balancer_step": [c.c_void_p, c.POINTER(Set), c.c_int, c.c_int, c.c_int,
                             c.POINTER(Move)],
        "ek_balancer_rebalance": [c.c_void_p, c.POINTER(Set), c.c_int, c.POINTER(Move)],
        "ek_balancer_migrate": [c.c_void_p, c.POINTER(Set), c.c_int, c.POINTER(Move)],
        "ek_balancer_owner": [c.c_void_p, c.POINTER(c.c_double), c.c_int, c.POINTER(c.c_int)],
        "ek_balancer_restore": [c.c_void_p, c.c_char_p],
        "ek_balancer_state": [c.c_void_p, c.POINTER(c.c_char_p)]}.items():
    getattr(lib, name).argtypes = arguments
for kind in ("monitor", "balancer"):
    for name, arguments in {
            "create": [c.c_int, c.c_char_p, c.POINTER(c.c_void_p)],
            "kernel": [c.c_void_p, c.c_char_p, c.c_int, c.POINTER(c.c_void_p)],
            "loan": [c.c_void_p, c.c_char_p, c.POINTER(c.c_void_p)],
            "note_cost": [c.c_void_p, c.c_double], "finish": [c.c_void_p]}.items():
        getattr(lib, f"ek_{kind}_{name}").argtypes = arguments
    getattr(lib, f"ek_{kind}_free").argtypes = [c.c_void_p]
    getattr(lib, f"ek_{kind}_free").restype = None
    getattr(lib, f"ek_{kind}_lambda").argtypes = [c.c_void_p]
    getattr(lib, f"ek_{kind}_lambda").restype = c.c_double
lib.ek_loan_free.argtypes = [c.c_void_p]
lib.ek_loan_free.restype = None
lib.ek_message.restype = lib.ek_version.restype = c.c_char_p
