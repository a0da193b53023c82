"""evenkeel for Python: dynamic load balancing of NumPy arrays over MPI.

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

The package calls the C interface of evenkeel, libevenkeel_c.so. It looks for the library in the
folder EVENKEEL_LIB, beside itself, and in the folders of the system.
"""

import ctypes
import json

import numpy as np

from . import _c

__all__ = ["Balancer", "Batch", "Error", "Loan", "Monitor", "Set", "assign", "cut_graph",
           "partition", "read_journal", "stop", "version"]

_lib = _c.lib


class Error(RuntimeError):
    """An error of evenkeel. `status` is its kind, one of the names in `Error.kinds`."""

    kinds = ("success", "bad_input", "out_of_memory", "communication", "disagreement",
             "application", "internal")

    def __init__(self, status):
        super().__init__(_lib.ek_message().decode(errors="replace"))
        self.status = self.kinds[status]


def _check(status):
    if status != 0:
        raise Error(status)


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
        return " ".join(_value(entry) for entry in value)
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
        array = np.asarray(array)
        if array.ndim == 0:
            raise ValueError(f"'{name}' is no array.")
        self.name = name.encode()
        self.pending = None
        self.hold(np.ascontiguousarray(array))

    def hold(self, array):
        self.array = array
        self.shape = array.shape[1:]
        size = array.dtype.itemsize
        code = _c.types.get((array.dtype.kind, size), _c.BYTES)
        each = int(np.prod(self.shape, dtype=np.int64))
        self.c = _c.Field()
        self.c.size = ctypes.sizeof(_c.Field)
        self.c.data = array.ctypes.data
        self.c.type = code
        self.c.element_bytes = size
        self.c.components = each
        self.c.count = self.c.capacity = len(array)
        self.c.name = self.name
        self.calls = (_c.ALLOCATE(self.allocate), _c.REPLACE(self.replace),
                      _c.REPLACE(self.release))
        self.c.allocate, self.c.replace, self.c.release = self.calls

    def allocate(self, _, size):
        try:
            self.pending = np.empty(size, dtype=np.uint8)
        except MemoryError:
            return None
        return self.pending.ctypes.data

    def replace(self, _, __):
        self.memory, self.pending = self.pending, None

    def release(self, _, __):
        self.pending = None

    def take(self):
        """Makes the array of the values after a call."""
        if self.c.data == self.array.ctypes.data and self.c.count == len(self.array):
            return
        each = self.array.dtype.itemsize * self.c.components
        shape = (self.c.count,) + self.shape
        if self.c.data != self.array.ctypes.data:
            values = self.memory[:self.c.count * each].view(self.array.dtype).reshape(shape)
        else:
            values = self.array[:self.c.count]
        self.hold(values)


class Set:
    """Arrays of objects that move together: one position, of two or three floats per object, and
    any others. The first axis of each array counts the objects. Attributes of the set are the
    arrays; after a call that moves objects they are new ones.

    weight, type, key, group, pinned and bytes name arrays of the set with one number per object, as
    in SetOptions of the library."""

    _roles = ("weight", "type", "key", "group", "pinned", "bytes")

    def __init__(self, position, *, weight=None, type=None, key=None, group=None, pinned=None,
                 bytes=None, bytes_per_object=0, **arrays):
        self._given = None
        self._fields = {"position": _Field(position, "position")}
        for name, array in arrays.items():
            self._fields[name] = _Field(array, name)
        self._names = dict(zip(self._roles, (weight, type, key, group, pinned, bytes)))
        self._bytes_per_object = bytes_per_object
        for role, name in self._names.items():
            if name is not None and name not in self._fields:
                raise ValueError(f"{role} names '{name}', which is no array of the set.")

    def __getattr__(self, name):
        fields = self.__dict__.get("_fields", {})
        if name in fields:
            return fields[name].array
        raise AttributeError(name)

    def __setattr__(self, name, value):
        if name in self.__dict__.get("_fields", {}):
            self._fields[name] = _Field(value, name)
            self._given = None
        else:
            super().__setattr__(name, value)

    def __len__(self):
        return len(self.position)

    def __dir__(self):
        return list(super().__dir__()) + list(self._fields)

    def _as_c(self):
        """The structure of the C interface, which refers to this set."""
        fields = list(self._fields.values())
        if self._given is None:
            given = _c.Set()
            given.size = ctypes.sizeof(_c.Set)
            given.position = ctypes.pointer(fields[0].c)
            self._carried = (ctypes.POINTER(_c.Field) * len(fields))(
                *[ctypes.pointer(field.c) for field in fields[1:]])
            given.carried = self._carried
            given.carried_count = len(fields) - 1
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


# --- Monitor and Balancer -------------------------------------------------------------------------


class _Kernel:
    """A timed region: `with kernel: ...`."""

    def __init__(self, handle, owner):
        self._handle, self._owner = handle, owner

    def __enter__(self):
        _check(_lib.ek_kernel_begin(self._handle))
        return self

    def __exit__(self, *_):
        _check(_lib.ek_kernel_end(self._handle))


class _Facade:
    def __init__(self, comm, options, keys):
        self._handle = ctypes.c_void_p()
        _check(self._call("create")(_communicator(comm), _options(options, keys),
                                    ctypes.byref(self._handle)))

    def _call(self, name):
        return getattr(_lib, f"ek_{self._type}_{name}")

    def __del__(self):
        if getattr(self, "_handle", None):
            self._call("free")(self._handle)
            self._handle = None

    def kernel(self, name, phase=0):
        """The kernel of this name; it is registered if it is new."""
        handle = ctypes.c_void_p()
        _check(self._call("kernel")(self._handle, name.encode(), phase, ctypes.byref(handle)))
        return _Kernel(handle, self)

    def loan(self, name):
        """A loan: it balances one kernel without moving the mesh. Collective."""
        handle = ctypes.c_void_p()
        _check(self._call("loan")(self._handle, name.encode(), ctypes.byref(handle)))
        return Loan(handle, self)

    def note_cost(self, seconds):
        """Adds seconds to the cost of the rebalance that has just been made."""
        _check(self._call("note_cost")(self._handle, seconds))

    @property
    def lambda_(self):
        """The greatest load over the average, at the last look; 0 before it."""
        return self._call("lambda")(self._handle)

    def finish(self):
        """Collective: completes pending work and closes the journal."""
        _check(self._call("finish")(self._handle))


class Monitor(_Facade):
    """Times kernels, and says when to rebalance; the program does it. Options are lines
    "key = value" or keywords, as in Monitor(comm, trigger="threshold 1.2", journal="run.journal").
    """

    _type = "monitor"

    def __init__(self, comm=None, options="", **keys):
        super().__init__(comm, options, keys)

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
        super().__init__(comm, options, keys)
        self._move = _c.Move(size=ctypes.sizeof(_c.Move))

    def _call_with(self, call, sets, *choices):
        given = (_c.Set * len(sets))(*[each._as_c() for each in sets])
        _check(call(self._handle, given, len(sets), *choices, ctypes.byref(self._move)))
        if self._move.moved:
            for each in sets:
                each._take()
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

    def owner(self, point):
        """The rank that owns a point."""
        point = _doubles(point, "point")
        rank = ctypes.c_int()
        _check(_lib.ek_balancer_owner(self._handle, _pointer(point), point.size,
                                      ctypes.byref(rank)))
        return rank.value

    def saved_state(self):
        """All that the run has learned, for restore()."""
        text = ctypes.c_char_p()
        _check(_lib.ek_balancer_state(self._handle, ctypes.byref(text)))
        return text.value.decode()

    def restore(self, state):
        """Collective, before the first step: takes over an earlier saved_state()."""
        _check(_lib.ek_balancer_restore(self._handle, state.encode()))


# --- Loans ----------------------------------------------------------------------------------------


class Batch:
    """Some objects for one call of a loan's kernel: those at `places` of each array in `fields`.
    cost[places] may be written."""

    def __init__(self, given, fields):
        self.count, self.owner = given.count, given.owner
        self.is_borrowed = given.is_borrowed != 0
        self.places = slice(0, given.count)
        length = given.count
        if given.objects:
            self.places = np.ctypeslib.as_array(given.objects, (given.count,))
            length = given.fields[0].count
        self.cost = np.ctypeslib.as_array(given.cost, (length,))
        self.fields = []
        for f, like in enumerate(fields):
            array = like.array
            shape = (given.fields[f].count,) + array.shape[1:]
            size = int(np.prod(shape, dtype=np.int64)) * array.dtype.itemsize
            if size == 0:
                self.fields.append(np.empty(shape, array.dtype))
                continue
            memory = (ctypes.c_uint8 * size).from_address(given.fields[f].data)
            self.fields.append(np.frombuffer(memory, array.dtype).reshape(shape))


class Loan:
    """Balances one kernel: ranks with much work lend objects to ranks with little work."""

    def __init__(self, handle, owner):
        self._handle, self._owner = handle, owner

    def __del__(self):
        if self._handle and self._owner._handle:
            _lib.ek_loan_free(self._handle)

    def run(self, kept, kernel, *, inputs=(), results=(), weight=None, count=None):
        """Collective. Calls kernel(batch) until all objects of all ranks are done. Arrays in `kept`
        are read and written in place, `inputs` are only read, and `results` only written. Returns
        True if ranks have lent objects."""
        groups = [[self._field(array) for array in group] for group in (kept, inputs, results)]
        fields = [field for group in groups for field in group]
        call = _c.LoanCall()
        call.size = ctypes.sizeof(_c.LoanCall)
        call.count = len(fields[0].array) if count is None and fields else count or 0
        lists = [(ctypes.POINTER(_c.Field) * max(len(group), 1))(
            *[ctypes.pointer(field.c) for field in group]) for group in groups]
        call.kept, call.inputs, call.results = lists
        call.kept_count, call.input_count, call.result_count = [len(group) for group in groups]
        if weight is not None:
            weights = _Field(_doubles(weight, "weight"), "weight")
            call.weight = ctypes.pointer(weights.c)
        raised = []

        def work(given, _):
            try:
                kernel(Batch(given.contents, fields))
                return 0
            except BaseException as error:  # it must not cross the C code
                raised.append(error)
                return 1

        lent = ctypes.c_int()
        status = _lib.ek_loan_run(self._handle, ctypes.byref(call), _c.WORK(work), None,
                                  ctypes.byref(lent))
        if status != 0:
            raise Error(status) from (raised[0] if raised else None)
        return lent.value != 0

    @staticmethod
    def _field(array):
        if not isinstance(array, np.ndarray) or not array.flags.c_contiguous:
            raise ValueError("A loan needs contiguous arrays, which it writes in place.")
        return _Field(array, "array")


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


def cut_graph(offsets, columns, parts=0, *, weights=None, edge_weights=None, from_=None,
              comm=None, target=0):
    """Collective. Cuts a graph in compressed rows, whose columns count the vertices of all ranks.
    Returns the part of each vertex, and the number of edges that are cut."""
    offsets = np.ascontiguousarray(offsets, dtype=np.int64)
    columns = np.ascontiguousarray(columns, dtype=np.int64)
    vertices = len(offsets) - 1
    options = _c.GraphOptions()
    options.size = ctypes.sizeof(_c.GraphOptions)
    options.parts, options.target = parts, target
    keep = []
    if weights is not None:
        weights = _doubles(weights, "weights")
        options.weights = _pointer(weights)
        options.weight_count = 1 if weights.ndim == 1 else weights.shape[1]
    if edge_weights is not None:
        keep.append(_doubles(edge_weights, "edge_weights", len(columns)))
        options.edge_weights = _pointer(keep[-1])
    if from_ is not None:
        keep.append(np.ascontiguousarray(from_, dtype=np.int32))
        options.from_ = _pointer(keep[-1], ctypes.c_int)
    part = np.empty(vertices, dtype=np.int32)
    cut = ctypes.c_int64()
    _check(_lib.ek_cut_graph(_communicator(comm), vertices, _pointer(offsets, ctypes.c_int64),
                             _pointer(columns, ctypes.c_int64), ctypes.byref(options),
                             _pointer(part, ctypes.c_int), ctypes.byref(cut)))
    return part, cut.value


# --- Journals -------------------------------------------------------------------------------------


def read_journal(path):
    """The lines of a journal as a record array: the step, lambda (the greatest load over the
    average; NaN without a look), the decision and its cause."""
    rows = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            try:
                look = json.loads(line)
            except ValueError:
                break  # a run that was killed may leave an incomplete line
            if "decision" in look:
                lambda_ = look["lambda"]
                rows.append((look["step"], np.nan if lambda_ is None else lambda_,
                             look["decision"], look["cause"]))
    return np.rec.array(rows, dtype=[("step", np.int64), ("lambda_", np.float64),
                                     ("decision", "U16"), ("cause", "U24")])
