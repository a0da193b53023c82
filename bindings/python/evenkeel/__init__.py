"""evenkeel for Python: dynamic load balancing of arrays over MPI.

    import evenkeel as ek
    from mpi4py import MPI

    balancer = ek.Balancer(MPI.COMM_WORLD)
    force = balancer.kernel("force")
    objects = ek.Set(position=x, mass=m)
    for step in range(100):
        with force:
            compute(objects.position, objects.mass)
        if balancer.step(objects):
            rebuild(objects)            # the arrays of the set are new ones
    balancer.finish()

The package calls the C interface of evenkeel, libevenkeel_c. It looks for the library in the
folder EVENKEEL_LIB, beside itself, and in the folders of the system.
"""

import collections
import contextlib
import ctypes
import json
import os
import shutil
import subprocess
import types
import weakref

import numpy as np

from . import _c, plot
from ._arrays import HOST, Memory, look_at, maker_of

__all__ = ["Balancer", "Batch", "BlockBalancer", "BlockProposal", "CutReport", "Directory", "Error",
           "Graph", "GraphBalancer", "GridBalancer", "Halo", "Loan", "Monitor", "Set", "assign",
           "cut_chain", "cut_graph", "cut_nets", "local_indices", "partition", "plot",
           "read_journal", "replay", "stop", "version"]

_lib = _c.lib


class Error(RuntimeError):
    """An error of evenkeel. `status` is its kind, one of the names in `Error.kinds`."""

    kinds = ("success", "bad_input", "out_of_memory", "communication", "disagreement",
             "application", "internal")

    def __init__(self, status, message=None):
        super().__init__(message or _lib.ek_message().decode(errors="replace"))
        self.status = self.kinds[status]


def _check(status, causes=()):
    """`causes` are the exceptions of call-backs, which must not cross the C code."""
    if status != 0:
        raise Error(status) from (causes[0] if causes else None)


def _guarded(function, causes):
    """Calls function(), and returns the status for C."""
    try:
        function()
        return 0
    except BaseException as error:
        causes.append(error)
        return 1


def version():
    """The version of the library, such as "0.1.0"."""
    return _lib.ek_version().decode()


def stop():
    """Ends Kokkos, if evenkeel has started it. Finish and drop all other objects before."""
    _check(_lib.ek_stop())


def _communicator(comm):
    """The Fortran handle of a communicator of mpi4py; None is MPI.COMM_WORLD."""
    if comm is None:
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
    return comm if isinstance(comm, int) else comm.py2f()


def _options(options, keys):
    lines = [options] if options else []
    lines += [f"{key} = {_value(value)}" for key, value in keys.items()]
    return "\n".join(lines).encode()


def _value(value):
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (list, tuple)):
        return ",".join(_value(entry) for entry in value)
    return str(value)


def _doubles(values, name, size=None):
    array = np.ascontiguousarray(values, dtype=np.float64)
    if size is not None and array.size != size:
        raise ValueError(f"{name} has {array.size} numbers instead of {size}.")
    return array


def _pointer(array, kind=ctypes.c_double):
    return None if array is None else array.ctypes.data_as(ctypes.POINTER(kind))


# --- Sets -----------------------------------------------------------------------------------------


class _Field:
    """An array as the C interface sees it. It owns the memory that a move asks for."""

    def __init__(self, array, name):
        self.name = name
        self.pending = None
        self.hold(array)

    def hold(self, array):
        self.array, self.at, self.is_copy = look_at(array, self.name)
        shape, dtype = self.at.shape, self.at.dtype
        self.c = _c.Field(size=ctypes.sizeof(_c.Field), data=self.at.data, memory=self.at.kind)
        self.c.type = _c.types.get((dtype.kind, dtype.itemsize), _c.BYTES)
        self.c.element_bytes = dtype.itemsize
        self.c.components = int(np.prod(shape[1:], dtype=np.int64))
        self.c.count = self.c.capacity = shape[0]
        self.c.object_stride, self.c.component_stride = self.at.field_strides(self.name)
        self.c.name = self.name.encode()
        self.make = maker_of(self.array)
        if self.make is not None:
            field = weakref.proxy(self)  # a cycle would keep memory of a device for long
            self.calls = (_c.ALLOCATE(lambda _, size: field.allocate(size)),
                          _c.REPLACE(lambda *_: field.replace()),
                          _c.REPLACE(lambda *_: field.release()))
            self.c.allocate, self.c.replace, self.c.release = self.calls

    def like(self, count):
        """A new array of the same library, for `count` objects."""
        return self.make((count,) + self.at.shape[1:])

    def allocate(self, size):
        try:
            each = self.c.components * self.c.element_bytes
            self.pending = self.like(max(1, size // each))
            return look_at(self.pending, self.name)[1].data
        except Exception:  # each library has its own one for a lack of memory
            return None

    def replace(self):
        self.memory, self.pending = self.pending, None

    def release(self):
        self.pending = None

    def take(self):
        """Makes the array of the values after a call."""
        has_moved = (self.c.data or 0) != self.at.data
        if has_moved or self.c.count != self.at.shape[0]:
            self.hold((self.memory if has_moved else self.array)[:self.c.count])


def _moving(array, name):
    field = _Field(array, name)
    if field.make is None:
        raise ValueError(f"'{name}' is of {type(array)}, whose library has no function `empty` for "
                         "the arrays after a move. Give an array of CuPy or PyTorch, such as "
                         "cupy.asarray(x), which has the same memory.")
    return field


def _in_place(array, is_written=True):
    field = _Field(array, "array")
    if field.is_copy or field.at.strides is not None:
        raise ValueError("This call needs contiguous arrays, which it may write in place.")
    if is_written and field.at.is_read_only:
        raise ValueError("This call writes into an array that is read-only. Give a copy.")
    return field


class Set:
    """Arrays of objects that move together: one position, of two or three floats per object, and
    any others. The first axis of each array counts the objects. Attributes of the set are the
    arrays; after a call that moves objects they are new ones, of the same library.

    weight, type, key, group, pinned and bytes name arrays of the set with one number per object, as
    in SetOptions of the library. `rows` are pairs of names, of offsets and of values: object i has
    values[offsets[i]:offsets[i + 1]], which move with it. For method="graph", `graph` maps the
    names of a Graph to arrays of the set, as in {"offsets": "first", "columns": "neighbours"}."""

    _roles = ("weight", "type", "key", "group", "pinned", "bytes")

    def __init__(self, position, *, weight=None, type=None, key=None, group=None, pinned=None,
                 bytes=None, bytes_per_object=0, rows=(), graph=None, **arrays):
        self._given = None
        self._fields = {name: _moving(array, name)
                        for name, array in {"position": position, **arrays}.items()}
        self._names = dict(zip(self._roles, (weight, type, key, group, pinned, bytes)))
        self._bytes_per_object = bytes_per_object
        for role, name in self._names.items():
            if name is not None and name not in self._fields:
                raise ValueError(f"{role} names '{name}', which is no array of the set.")
        self._rows, self._graph = list(rows), dict(graph or {})
        for name in [name for row in self._rows for name in row] + list(self._graph.values()):
            if name not in self._fields:
                raise ValueError(f"'{name}' is no array of the set.")

    def __getattr__(self, name):
        fields = self.__dict__.get("_fields", {})
        if name in fields:
            return fields[name].array
        raise AttributeError(name)

    def __setattr__(self, name, value):
        if name in self.__dict__.get("_fields", {}):
            self._fields[name] = _moving(value, name)
            self._given = None
        else:
            super().__setattr__(name, value)

    def __len__(self):
        return self._fields["position"].at.shape[0]

    def __dir__(self):
        return list(super().__dir__()) + list(self._fields)

    def _as_c(self):
        """The structure of the C interface, which refers to this set."""
        fields = list(self._fields.values())
        if self._given is None:
            given = _c.Set()
            given.size = ctypes.sizeof(_c.Set)
            given.position = ctypes.pointer(fields[0].c)
            in_rows = [name for row in self._rows for name in row]
            carried = [field for name, field in self._fields.items() if name not in in_rows][1:]
            self._carried = (ctypes.POINTER(_c.Field) * len(fields))(
                *[ctypes.pointer(field.c) for field in carried])
            given.carried = self._carried
            given.carried_count = len(carried)
            self._in_rows = (ctypes.c_void_p * (len(in_rows) + 1))(
                *[ctypes.addressof(self._fields[name].c) for name in in_rows])
            given.rows, given.row_count = ctypes.addressof(self._in_rows), len(self._rows)
            if self._graph:
                self._of_graph = _c.Graph(size=ctypes.sizeof(_c.Graph))
                for entry, name in self._graph.items():
                    setattr(self._of_graph, entry, ctypes.addressof(self._fields[name].c))
                given.graph = ctypes.addressof(self._of_graph)
            self._count = ctypes.c_int64()
            given.count = ctypes.pointer(self._count)
            for role, name in self._names.items():
                if name is not None:
                    setattr(given, role, ctypes.pointer(self._fields[name].c))
            given.bytes_per_object = self._bytes_per_object
            self._given = given
        self._count.value = fields[0].c.count
        return self._given

    def _take(self):
        self._given = None
        for field in self._fields.values():
            field.take()


# --- Monitors and balancers -----------------------------------------------------------------------


class _Kernel:
    """A timed region: `with kernel: ...`."""

    def __init__(self, handle, owner):
        self._handle, self._owner = handle, owner

    def __enter__(self):
        _check(_lib.ek_kernel_begin(self._handle))
        return self

    def __exit__(self, *_):
        _check(_lib.ek_kernel_end(self._handle))


class _Handle:
    """What the C interface has made, and the objects that must outlive it."""

    _handle = None

    def _make(self, function, *arguments, keep=()):
        self._keep, handle = keep, ctypes.c_void_p()
        _check(function(*arguments, ctypes.byref(handle)))
        self._handle = handle

    def __del__(self):
        if self._handle:
            _lib.ek_free(self._handle)
            self._handle = None


class _Facade(_Handle):
    """Options are lines "key = value", or keywords."""

    def __init__(self, comm=None, options="", **keys):
        self._make(self._call("create"), _communicator(comm), _options(options, keys))

    def _call(self, name):
        return getattr(_lib, f"ek_{self._type}_{name}")

    def kernel(self, name, phase=0):
        """The kernel of this name; it is registered if it is new."""
        handle = ctypes.c_void_p()
        _check(_lib.ek_kernel_of(self._handle, name.encode(), phase, ctypes.byref(handle)))
        return _Kernel(handle, self)

    def loan(self, name):
        """A loan: it balances one kernel without moving the mesh. Collective."""
        handle = ctypes.c_void_p()
        _check(_lib.ek_loan_of(self._handle, name.encode(), ctypes.byref(handle)))
        return Loan(handle, self)

    def note_cost(self, seconds):
        """Adds seconds to the cost of the rebalance that has just been made."""
        _check(_lib.ek_note_cost(self._handle, seconds))

    @property
    def lambda_(self):
        """The greatest load over the average, at the last look; 0 before it."""
        return _lib.ek_lambda(self._handle)

    def saved_state(self):
        """All that the run has learned, for restore()."""
        text = ctypes.c_char_p()
        _check(_lib.ek_state(self._handle, ctypes.byref(text)))
        return text.value.decode()

    def restore(self, state):
        """Collective, before the first step: takes over an earlier saved_state()."""
        _check(_lib.ek_restore(self._handle, state.encode()))

    def finish(self):
        """Collective: completes pending work and closes the journal."""
        _check(_lib.ek_finish(self._handle))


def _owner(balancer, point):
    """The rank that owns a point."""
    point = _doubles(point, "point")
    rank = ctypes.c_int()
    _check(_lib.ek_owner(balancer._handle, _pointer(point), point.size, ctypes.byref(rank)))
    return rank.value


class Monitor(_Facade):
    """Times kernels, and says when to rebalance; the program does it. Options are lines
    "key = value" or keywords, as in Monitor(comm, trigger="threshold lambda 1.2",
    journal="run.journal")."""

    _type = "monitor"

    def step(self, objects=0, may_move=True):
        """Collective; ends a step. Returns True if the program should rebalance now."""
        advice = ctypes.c_int()
        _check(_lib.ek_monitor_step(self._handle, objects, may_move, ctypes.byref(advice)))
        return advice.value != 0

    def rebalanced(self):
        """Collective: the decomposition has changed."""
        _check(_lib.ek_monitor_rebalanced(self._handle))


class Balancer(_Facade):
    """Times kernels, decides when a rebalance pays, and moves the objects. Options are as those of
    a Monitor, such as Balancer(comm, method="voronoi")."""

    _type = "balancer"

    def __init__(self, comm=None, options="", **keys):
        super().__init__(comm, options, **keys)
        self._move = _c.Move(size=ctypes.sizeof(_c.Move))
        self._hooks, self._raised = [], []

    def before_move(self, hook):
        """Calls hook() on every rank before objects move. If it raises, the move is undone on all
        ranks."""
        self._add_hook(_lib.ek_balancer_before_move, hook)

    def after_move(self, hook):
        """Calls hook() on every rank after objects have moved. Within it, the arrays of a set are
        still the old ones."""
        self._add_hook(_lib.ek_balancer_after_move, hook)

    def _add_hook(self, add, hook):
        call = _c.HOOK(lambda _: _guarded(hook, self._raised))
        _check(add(self._handle, call, None))
        self._hooks.append(call)

    def _call_with(self, call, sets, *choices):
        given = (_c.Set * len(sets))(*[each._as_c() for each in sets])
        self._raised.clear()
        status = call(self._handle, given, len(sets), *choices, ctypes.byref(self._move))
        if status != 0 or self._move.moved:  # a hook may fail after a move
            for each in sets:
                each._take()
        _check(status, self._raised)
        return self._move.moved != 0

    def step(self, *sets, may_move=True, changed=False):
        """Collective; ends a step. Returns True if objects have moved."""
        return self._call_with(_lib.ek_balancer_step, sets, may_move, changed)

    def rebalance(self, *sets):
        """Collective: balances now; the first call distributes the objects."""
        return self._call_with(_lib.ek_balancer_rebalance, sets)

    def migrate(self, *sets):
        """Collective: sends objects that have left their domain to the owner of their place."""
        return self._call_with(_lib.ek_balancer_migrate, sets)

    def adopt(self, *sets):
        """Collective, before the first step: each rank owns the objects that it has."""
        given = (_c.Set * len(sets))(*[each._as_c() for each in sets])
        _check(_lib.ek_balancer_adopt(self._handle, given, len(sets)))

    owner = _owner


# --- Balancers whose program moves the data -------------------------------------------------------


class _Proposer(_Facade):
    def accept(self):
        """All data is where the proposal wants it. On all ranks or on none."""
        _check(_lib.ek_accept(self._handle))

    def drop(self):
        """Discards the proposal. On all ranks or on none."""
        _check(_lib.ek_drop(self._handle))


def _copies(given, dtype):
    """The three lists of a proposal."""
    return [np.frombuffer((ctypes.c_uint8 * (count * dtype.itemsize)).from_address(address),
                          dtype).copy() if count > 0 else np.empty(0, dtype)
            for count, address in zip(given.counts, given.lists)]


def _rows(rows, count, name):
    """Offsets and entries of a list for each block. One number for each is a list of one."""
    if len(rows) != count:
        raise ValueError(f"{name} has {len(rows)} entries instead of {count}.")
    rows = [np.atleast_1d(np.asarray(row, dtype=np.int64)) for row in rows]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return offsets, np.concatenate(rows + [np.empty(0, np.int64)])


BlockProposal = collections.namedtuple(
    "BlockProposal", "map leaving arriving blocks_moved bytes_moved lambda_before lambda_ bound "
    "reason")
BlockProposal.__doc__ = """A rank for each block: `map` has all blocks, by id; `leaving` those that
this rank sends, by receiver; `arriving` those that it receives, by sender. They are arrays with the
names "id", "from", "to" and "bytes". No map has a lambda below `bound`."""


class BlockBalancer(_Proposer):
    """Learns the costs of blocks, decides when moving blocks pays, and proposes their ranks.
    Options are as those of a Monitor, and most_blocks, price_of_moving, consecutive and
    node_of_rank."""

    _type = "block_balancer"
    _move = np.dtype([("id", np.int64), ("from", np.int32), ("to", np.int32),
                      ("bytes", np.float64)], align=True)

    def describe(self, ids, *, bytes=None, weight=None, cells=None, centre=None, neighbours=None,
                 made_from=None):
        """Collective, at the start, and whenever blocks are made or removed: all blocks that this
        rank has now. cells and centre have three numbers for each block; neighbours and made_from
        are lists of ids, one list for each block."""
        ids = np.ascontiguousarray(ids, dtype=np.int64).ravel()
        blocks, keep = _c.Blocks(), [ids]
        blocks.size, blocks.count, blocks.id = ctypes.sizeof(blocks), ids.size, ids.ctypes.data
        for name, values, kind, each in (("bytes", bytes, np.float64, 1),
                                         ("weight", weight, np.float64, 1),
                                         ("cells", cells, np.int64, 3),
                                         ("centre", centre, np.float64, 3)):
            if values is None:
                continue
            keep.append(np.ascontiguousarray(values, dtype=kind))
            if keep[-1].size != each * ids.size:
                raise ValueError(f"{name} has {keep[-1].size} numbers instead of "
                                 f"{each * ids.size}.")
            setattr(blocks, name, keep[-1].ctypes.data)
        for name, rows in (("neighbour", neighbours), ("parent", made_from)):
            if rows is None:
                continue
            keep += _rows(rows, ids.size, name)
            setattr(blocks, f"first_{name}", keep[-2].ctypes.data)
            setattr(blocks, name, keep[-1].ctypes.data)
        _check(_lib.ek_block_balancer_describe(self._handle, ctypes.byref(blocks)))

    @contextlib.contextmanager
    def block(self, id):
        """Times the work on a block: `with balancer.block(id): ...`."""
        _check(_lib.ek_block_begin(self._handle, id))
        try:
            yield
        finally:
            _check(_lib.ek_block_end(self._handle, id))

    def add_cost(self, id, seconds):
        """Adds seconds that the program has measured itself to the cost of a block."""
        _check(_lib.ek_block_add_cost(self._handle, id, seconds))

    def step(self, may_move=True, changed=False):
        """Collective; ends a step. Returns a BlockProposal, or None. Move the blocks, and call
        accept()."""
        return self._propose(_lib.ek_block_balancer_step, may_move, changed)

    def propose(self):
        """Collective: a proposal now, or None if no block would move."""
        return self._propose(_lib.ek_block_balancer_propose)

    def _propose(self, call, *choices):
        found = ctypes.POINTER(_c.BlockProposal)()
        _check(call(self._handle, *choices, ctypes.byref(found)))
        if not found:
            return None
        given = found.contents
        return BlockProposal(*_copies(given, self._move), given.blocks_moved, given.bytes_moved,
                             given.lambda_before, given.lambda_, given.bound,
                             given.reason.decode())

    def accept(self, ids=None):
        """All blocks are where the proposal wants them. With the ids that this rank has now, the
        call is collective, and raises if a block is missing."""
        if ids is None:
            return super().accept()
        ids = np.ascontiguousarray(ids, dtype=np.int64).ravel()
        _check(_lib.ek_block_balancer_accept(self._handle, ids.ctypes.data, ids.size))


class Graph:
    """A graph in compressed rows: vertex v has the neighbours columns[offsets[v]:offsets[v + 1]].
    Columns count the vertices of all ranks, rank after rank, or are the ids in `id`. Properties of
    vertices: id, weight, bytes, position, fixed; of entries of columns: edge_weight, uncuttable."""

    _names = ("id", "weight", "bytes", "position", "fixed", "edge_weight", "uncuttable")

    def __init__(self, offsets, columns, **properties):
        for name in properties:
            if name not in self._names:
                raise TypeError(f"A graph has no '{name}'. Give some of {', '.join(self._names)}.")
        arrays = {"offsets": offsets, "columns": columns, **properties}
        self._fields = {name: _Field(array, name) for name, array in arrays.items()
                        if array is not None}
        self._c = _c.Graph(size=ctypes.sizeof(_c.Graph))
        for name, field in self._fields.items():
            setattr(self._c, name, ctypes.addressof(field.c))

    def __len__(self):
        return max(0, self._fields["offsets"].at.shape[0] - 1)


CutReport = collections.namedtuple(
    "CutReport", "parts empty cut_edges cut lambda_ bound moved moved_weight")
CutReport.__doc__ = """The quality of a cut. `cut` is the weight of the edges between parts or, for
nets, their connectivity; `cut_edges` is the number of these edges or nets."""


def _report(given):
    return CutReport(*[getattr(given, name) for name in CutReport._fields])


class GraphBalancer(_Proposer):
    """Decides when a rebalance pays, and proposes a rank for each vertex of a graph. Options are as
    those of a Monitor; the method is a graph, such as method="graph fast 1.05"."""

    _type = "graph_balancer"

    def step(self, graph, may_move=True, changed=False):
        """Collective; ends a step. Returns (ranks of the vertices, CutReport), or None."""
        return self._propose(_lib.ek_graph_balancer_step, graph, may_move, changed)

    def propose(self, graph, method=None):
        """Collective: (ranks of the vertices, CutReport) now."""
        return self._propose(_lib.ek_graph_balancer_propose, graph,
                             None if method is None else method.encode())

    def _propose(self, call, graph, *choices):
        found = ctypes.POINTER(_c.GraphProposal)()
        _check(call(self._handle, ctypes.byref(graph._c), *choices, ctypes.byref(found)))
        if not found:
            return None
        given = found.contents
        parts = np.empty(given.count, dtype=np.int32)
        ctypes.memmove(parts.ctypes.data, given.parts, parts.nbytes)
        return parts, _report(given.report)


class GridBalancer(_Proposer):
    """Decides when a rebalance pays, and proposes new domains of a box: GridBalancer(comm, box=[0,
    0, 0, 1, 1, 1], method="tensor 2x2x1"). Methods are staggered, tensor, bisection, voronoi and
    mesh."""

    _type = "grid_balancer"
    _cells = np.dtype([("rank", np.int32), ("begin", np.int64, 3), ("end", np.int64, 3)],
                      align=True)

    def step(self, cells=None, centre_of_work=None, may_move=True, changed=False):
        """Collective; ends a step. Returns True if it proposes new domains. `cells` are a Set with
        centres and weights; a bisection needs them."""
        return self._propose(_lib.ek_grid_balancer_step, cells, centre_of_work, may_move, changed)

    def propose(self, work=0.0, cells=None, centre_of_work=None):
        """Collective: proposes new domains now, by the work of this rank or by cells."""
        return self._propose(_lib.ek_grid_balancer_propose, cells, centre_of_work, work)

    def _propose(self, call, cells, centre, *choices):
        proposed = ctypes.c_int()
        given = None if cells is None else ctypes.byref(cells._as_c())
        if centre is not None:
            centre = _doubles(centre, "centre_of_work", 3)
        _check(call(self._handle, given, _pointer(centre), *choices, ctypes.byref(proposed)))
        return proposed.value != 0

    def cells(self, extents):
        """The cells of a mesh with these extents that this rank sends, receives and keeps if the
        proposal is accepted: three arrays with the names "rank", "begin" and "end"."""
        extents = np.ascontiguousarray(extents, dtype=np.int64)
        if extents.size != 3:
            raise ValueError("A mesh has three extents.")
        found = ctypes.POINTER(_c.CellMoves)()
        _check(_lib.ek_grid_balancer_cells(self._handle, extents.ctypes.data, ctypes.byref(found)))
        return _copies(found.contents, self._cells)

    def domain(self):
        """The lower and the upper corner of the domain of this rank."""
        corners = np.empty((2, 3))
        _check(_lib.ek_grid_balancer_domain(self._handle, corners[0].ctypes.data,
                                            corners[1].ctypes.data))
        return corners

    def neighbours(self):
        """The ranks whose domains touch that of this rank."""
        ranks, count = ctypes.POINTER(ctypes.c_int)(), ctypes.c_int()
        _check(_lib.ek_grid_balancer_neighbours(self._handle, ctypes.byref(ranks),
                                                ctypes.byref(count)))
        return [ranks[i] for i in range(count.value)]

    owner = _owner


# --- Ids and ghosts -------------------------------------------------------------------------------


class Directory(_Handle):
    """Finds objects by their ids: integers, one for each object of this rank. Collective."""

    def __init__(self, ids, comm=None):
        field = _Field(ids, "ids")
        self._make(_lib.ek_directory_create, _communicator(comm), ctypes.byref(field.c))

    def update(self, ids):
        """Collective: the ids of this rank have changed."""
        _check(_lib.ek_directory_update(self._handle, ctypes.byref(_Field(ids, "ids").c)))

    def look_up(self, ids):
        """Collective. The rank of each id, or -1 if no object has it, and its index there."""
        field = _Field(ids, "ids")
        ranks = np.empty(field.at.shape, np.int32)
        indices = np.empty(field.at.shape, np.int64)
        _check(_lib.ek_directory_look_up(self._handle, ctypes.byref(field.c), ranks.ctypes.data,
                                         indices.ctypes.data))
        return ranks, indices


def local_indices(ids, wanted):
    """The index of each id of `wanted` in `ids`, or -1."""
    fields = [_Field(ids, "ids"), _Field(wanted, "wanted")]
    fields.append(_Field(np.empty(fields[1].at.shape, np.int64), "indices"))
    _check(_lib.ek_local_indices(*[ctypes.byref(field.c) for field in fields]))
    return fields[2].array


class Halo(_Handle):
    """The ghosts around the domain of this rank: copies of objects of other ranks within a width,
    along each axis or in a straight line. Collective."""

    def __init__(self, balancer, objects, width, straight=False):
        self._make(_lib.ek_halo_create, balancer._handle, ctypes.byref(objects._as_c()), width,
                   straight, keep=(balancer,))

    @classmethod
    def around_ids(cls, balancer, directory, ids, owned):
        """The ghosts are the objects of other ranks with one of these ids. `directory` has the
        `owned` objects of this rank."""
        halo = cls.__new__(cls)
        halo._make(_lib.ek_halo_around_ids, balancer._handle, directory._handle,
                   ctypes.byref(_Field(ids, "ids").c), owned, keep=(balancer, directory))
        return halo

    def __len__(self):
        return _lib.ek_halo_ghosts(self._handle)

    def is_current(self):
        """True if it was made for the present domains."""
        return _lib.ek_halo_is_current(self._handle) != 0

    def exchange(self, objects):
        """Collective. A Set of the ghosts of all arrays; positions are shifted by whole periods."""
        ghosts = Set(**{name: field.like(len(self)) for name, field in objects._fields.items()})
        _check(_lib.ek_halo_exchange(self._handle, ctypes.byref(objects._as_c()),
                                     ctypes.byref(ghosts._as_c())))
        return ghosts

    def sum_back(self, array, ghosts):
        """Collective. Adds the numbers of ghosts to those of their objects, in place."""
        sets, keep = [], []
        for field in (_in_place(array), _in_place(ghosts, is_written=False)):
            keep.append((field, (ctypes.c_void_p * 1)(ctypes.addressof(field.c))))
            sets.append(_c.Set(size=ctypes.sizeof(_c.Set), carried_count=1))
            sets[-1].carried = ctypes.cast(keep[-1][1], type(sets[-1].carried))
        _check(_lib.ek_halo_sum_back(self._handle, *[ctypes.byref(each) for each in sets]))


# --- Loans ----------------------------------------------------------------------------------------


class Batch:
    """Some objects for one call of a loan's kernel: those at `places` of each array in `fields`.
    cost[places] may be written. On a device, cupy.asarray or torch.as_tensor takes each of them."""

    def __init__(self, given, fields):
        self.count, self.owner = given.count, given.owner
        self.is_borrowed = given.is_borrowed != 0
        kind = given.fields[0].memory if fields else HOST

        def array(address, dtype, shape):
            memory = Memory(address, kind, dtype, shape)
            return np.asarray(memory).view(dtype) if kind == HOST else memory

        self.places, length = slice(0, given.count), given.count
        if given.objects:
            self.places = array(given.objects, np.int64, (given.count,))
            length = given.fields[0].count
        self.cost = array(given.cost, np.float64, (length,))
        self.fields = [array(at.data, like.at.dtype, (at.count,) + like.at.shape[1:])
                       for at, like in zip(given.fields[:given.field_count], fields)]


class Loan:
    """Balances one kernel: ranks with much work lend objects to ranks with little work."""

    def __init__(self, handle, owner):
        self._handle, self._owner = handle, owner

    def __del__(self):
        if self._handle and self._owner._handle:
            _lib.ek_free(self._handle)

    def run(self, kept, kernel, *, inputs=(), results=(), weight=None, count=None):
        """Collective. Calls kernel(batch) until all objects of all ranks are done. Arrays in `kept`
        are read and written in place, `inputs` are only read, and `results` only written. Returns
        True if ranks have lent objects."""
        groups = [[_in_place(array, is_written) for array in group]
                  for group, is_written in ((kept, True), (inputs, False), (results, True))]
        fields = [field for group in groups for field in group]
        call = _c.LoanCall()
        call.size = ctypes.sizeof(_c.LoanCall)
        call.count = fields[0].at.shape[0] if count is None and fields else count or 0
        lists = [(ctypes.POINTER(_c.Field) * max(len(group), 1))(
            *[ctypes.pointer(field.c) for field in group]) for group in groups]
        call.kept, call.inputs, call.results = lists
        call.kept_count, call.input_count, call.result_count = [len(group) for group in groups]
        if weight is not None:
            weights = _Field(weight, "weight")
            call.weight = ctypes.pointer(weights.c)
        raised = []
        work = _c.WORK(lambda given, _: _guarded(lambda: kernel(Batch(given.contents, fields)),
                                                 raised))
        lent = ctypes.c_int()
        _check(_lib.ek_loan_run(self._handle, ctypes.byref(call), work, None, ctypes.byref(lent)),
               raised)
        return lent.value != 0


# --- Maps, graphs and points ----------------------------------------------------------------------


def assign(costs, ranks, *, centres=None, edges=None, from_=None, bytes=None, most_blocks=0,
           memory=None, speeds=None, target=0):
    """Maps blocks to ranks. Returns the rank of each block, lambda, and a proven lower bound of
    lambda."""
    costs = _doubles(costs, "costs")
    options = _c.AssignOptions()
    options.size = ctypes.sizeof(_c.AssignOptions)
    options.ranks, options.most_blocks, options.target = ranks, most_blocks, target
    keep = []

    def give(name, array, kind=ctypes.c_double):
        keep.append(array)
        setattr(options, name, _pointer(array, kind))

    if centres is not None:
        centres = _doubles(centres, "centres")
        options.dimensions = centres.shape[1]
        give("coordinates", centres)
    if edges is not None:
        edges = np.ascontiguousarray(edges, dtype=np.int32)
        options.edge_count = len(edges)
        give("edges", edges, ctypes.c_int)
    if from_ is not None:
        give("from_", np.ascontiguousarray(from_, dtype=np.int32), ctypes.c_int)
    if bytes is not None:
        give("bytes", _doubles(bytes, "bytes", costs.size))
    if memory is not None:
        give("memory", _doubles(memory, "memory", ranks))
    if speeds is not None:
        give("speeds", _doubles(speeds, "speeds", ranks))
    map_ = np.empty(costs.size, dtype=np.int32)
    lambda_, bound = ctypes.c_double(), ctypes.c_double()
    _check(_lib.ek_assign(_pointer(costs), costs.size, ctypes.byref(options),
                          _pointer(map_, ctypes.c_int), ctypes.byref(lambda_),
                          ctypes.byref(bound)))
    return map_, lambda_.value, bound.value


def partition(points, parts=0, *, weights=None, method="hilbert", comm=None):
    """Collective. Returns the part of each point; 0 parts are one for each rank."""
    points = _doubles(points, "points")
    if points.ndim != 2:
        raise ValueError("points have the shape (count, 2) or (count, 3).")
    if weights is not None:
        weights = _doubles(weights, "weights", len(points))
    part = np.empty(len(points), dtype=np.int32)
    _check(_lib.ek_partition(_communicator(comm), _pointer(points), points.shape[1], len(points),
                             _pointer(weights), method.encode(), parts,
                             _pointer(part, ctypes.c_int)))
    return part


def _cut(call, before, graph, count, parts, from_, method, speeds, comm):
    options = _c.CutOptions(size=ctypes.sizeof(_c.CutOptions), parts=parts)
    keep = []
    if from_ is not None:
        keep.append(_Field(from_, "from_"))
        options.from_ = ctypes.addressof(keep[-1].c)
    if speeds is not None:
        keep.append(_doubles(speeds, "speeds"))
        options.speeds = keep[-1].ctypes.data
    if method is not None:
        options.method = method.encode()
    found = np.empty(count, dtype=np.int32)
    report = _c.CutReport(size=ctypes.sizeof(_c.CutReport))
    _check(call(_communicator(comm), *before, ctypes.byref(graph._c), ctypes.byref(options),
                found.ctypes.data, ctypes.byref(report)))
    return found, _report(report)


def cut_graph(graph, parts=0, *, from_=None, method=None, speeds=None, comm=None):
    """Collective. Returns the part of each vertex of a Graph, and a CutReport; 0 parts are one for
    each rank. `from_` are present parts; `method` is a text such as "graph fast 1.05"."""
    return _cut(_lib.ek_cut_graph, (), graph, len(graph), parts, from_, method, speeds, comm)


def cut_nets(objects, nets, parts=0, *, from_=None, method=None, speeds=None, comm=None):
    """Collective. The same for nets of this rank's objects, in a Graph: row e has the pins of net
    e, and edge_weight one number for each net."""
    return _cut(_lib.ek_cut_nets, (objects,), nets, objects, parts, from_, method, speeds, comm)


def cut_chain(weights, parts, *, speeds=None, least_items=0):
    """Cuts a row of items. Returns offsets, where part p has items offsets[p]:offsets[p + 1], and
    lambda; no cut has a smaller greatest load."""
    weights = _doubles(weights, "weights")
    if speeds is not None:
        speeds = _doubles(speeds, "speeds", parts)
    offsets = np.empty(max(parts, 0) + 1, dtype=np.int64)
    lambda_ = ctypes.c_double()
    _check(_lib.ek_cut_chain(_pointer(weights), weights.size, parts, _pointer(speeds), least_items,
                             offsets.ctypes.data, ctypes.byref(lambda_)))
    return offsets, lambda_.value


# --- Journals -------------------------------------------------------------------------------------


def read_journal(path):
    """The looks of a journal as a record array: `step`, `generation`, `decision`, `cause`, and the
    numbers `lambda_`, `imbalance_percent`, `coverage`, `wasted_seconds`, `predicted_gain`, `cost`,
    `realised_gain`, `objects_moved` and `bytes_moved`, which are NaN if they are not known.
    `rebalanced_at` is the step after which a rebalance made new domains, or NaN. For each kernel,
    the fields "NAME avg" and "NAME max" have its seconds per step; `per_rank` has those of all
    kernels on each rank, if the journal has them."""
    looks = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            try:
                look = json.loads(line)
            except ValueError:
                break  # a run that was killed may leave an incomplete line
            if "decision" in look:
                look["kernels"] = look.get("kernels") or {}  # null without a measurement
                look["rebalanced_at"] = look.get("taken_at") if look.get("changed") else None
                looks.append(look)
    numbers = ("lambda", "imbalance_percent", "coverage", "wasted_seconds", "predicted_gain",
               "cost", "realised_gain", "objects_moved", "bytes_moved", "rebalanced_at")
    kernels = sorted({name for look in looks for name in look["kernels"]})
    ranks = max((len(look.get("per_rank") or ()) for look in looks), default=0)
    fields = [("step", np.int64), ("generation", np.int64), ("decision", "U16"), ("cause", "U24")]
    fields += [("lambda_" if name == "lambda" else name, np.float64) for name in numbers]
    fields += [(f"{name} {what}", np.float64) for name in kernels for what in ("avg", "max")]
    fields += [("per_rank", np.float64, (ranks,))] if ranks > 0 else []
    table = np.recarray(len(looks), dtype=fields)

    def known(number):
        return np.nan if number is None else number

    for row, look in zip(table, looks):
        values = [look["step"], look["generation"], look["decision"], look["cause"]]
        values += [known(look.get(name)) for name in numbers]
        values += [known(look["kernels"].get(name, {}).get(what))
                   for name in kernels for what in ("avg", "max")]
        if ranks > 0:
            each = look.get("per_rank") or [np.nan] * ranks
            values.append(tuple(each) if len(each) == ranks else (np.nan,) * ranks)
        for name, value in zip(table.dtype.names, values):
            row[name] = value
    return table


def replay(journal, trigger=None):
    """The answer of the program `evenkeel replay`, with the names in docs/tool.md. With a trigger,
    such as "threshold lambda 1.2": what it would have done in the run of this journal. `trial` and
    `recorded` have `rebalances`, the steps after which these took place, and the seconds
    `slowest`, `spent` and `saved`. Without a trigger, all decisions of the run are repeated, which
    must come out the same: `looks` is their number."""
    library, path = os.environ.get("EVENKEEL_LIB"), os.environ.get("PATH", os.defpath)
    if library:
        path = os.pathsep.join([os.path.join(library, "..", "bin"), path])
    program = shutil.which("evenkeel", path=path)
    if program is None:
        raise FileNotFoundError("The program evenkeel is not found. Add its folder to PATH.")
    command = [program, "replay", "--json", f"--journal={os.fspath(journal)}"]
    command += [] if trigger is None else [f"--trigger={trigger}"]
    # As one process, also within a run of MPI.
    alone = {name: value for name, value in os.environ.items()
             if not name.startswith(("OMPI_", "PMI_", "PMIX_", "SLURM_"))}
    run = subprocess.run(command, env=alone, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        kind = {1: "disagreement", 2: "bad_input"}.get(run.returncode, "internal")
        raise Error(Error.kinds.index(kind), run.stderr.strip() or f"{command} failed.")
    return json.loads(run.stdout, object_hook=lambda names: types.SimpleNamespace(**names))
