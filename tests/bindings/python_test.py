"""The Python package: objects move, blocks, vertices and boxes get ranks, ghosts come, work is
lent, divisions are even, arrays of other libraries are taken, journals are replayed, pictures are
drawn, and errors are exceptions."""

import ctypes
import importlib.util
import os
import shutil
import sys

import numpy as np
from mpi4py import MPI

import evenkeel as ek

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
failures = 0


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print(f"rank {rank}: {what}", flush=True)


def raises(function, text):
    try:
        function()
    except Exception as error:
        check(text in str(error), f"'{text}' is not in '{error}'")
        return error
    check(False, f"no exception with '{text}'")


def objects_move():
    count = 500 + 100 * rank
    random = np.random.default_rng(rank)
    ids = np.arange(count, dtype=np.int64) + 1_000_000 * rank
    x = random.random((count, 3))
    record = np.zeros(count, dtype=[("a", "f4"), ("b", "i2")])
    record["a"], record["b"] = x[:, 0], ids % 1000
    objects = ek.Set(position=x, id=ids, mass=(x[:, 0] + 1).astype(np.float32), record=record,
                     weight="mass")
    before = comm.allreduce(int(ids.sum()))
    balancer = ek.Balancer(comm, trigger="every 0:0:6", log="off")
    work = balancer.kernel("work")
    calls = []
    balancer.before_move(lambda: calls.append("before"))
    balancer.after_move(lambda: calls.append("after"))
    check(balancer.rebalance(objects) == (ranks > 1) or ranks == 1, "the first distribution moves")
    for _ in range(12):
        with work:
            objects.position[:, 2] *= 0.999
        balancer.step(objects)
    check(ranks == 1 or calls[:2] == ["before", "after"], f"hooks: {calls}")
    check(comm.allreduce(int(objects.id.sum())) == before, "every object is there")
    check(comm.allreduce(len(objects)) == sum(500 + 100 * r for r in range(ranks)), "the count")
    check(np.array_equal(objects.mass, (objects.position[:, 0] + 1).astype(np.float32)), "masses")
    check(np.array_equal(objects.record["b"], objects.id % 1000), "records stay together")
    check(all(balancer.owner(p) == rank for p in objects.position[:50]), "owners")
    check(len(balancer.saved_state()) > 10, "the state")
    balancer.finish()
    error = raises(lambda: balancer.step(objects), "after finish")
    check(error.status == "bad_input", "the kind of an error")


def journals_are_read():
    journal = f"python_test_{ranks}.jsonl"
    monitor = ek.Monitor(comm, trigger="never", watcher=False, log="off", journal=journal)
    work = monitor.kernel("work")
    for _ in range(40):
        with work:
            np.arange(1000 * (1 + rank)).sum()
        monitor.step(1)
    monitor.finish()
    if rank == 0:
        looks = ek.read_journal(journal)
        check(len(looks) >= 3 and all(np.diff(looks.step) > 0), f"the journal: {looks}")
        check(looks.per_rank.shape == (len(looks), ranks), "seconds of each rank")
        check(np.all(looks["work max"] >= looks["work avg"] * 0.999), "seconds of a kernel")
        check(np.all(looks.lambda_ >= 1) and set(looks.decision) == {"hold"}, "decisions")
        os.remove(journal)


class Shared:
    """An array that offers DLPack alone."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self):
        return self._array.__dlpack__()

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class Tensor(Shared):
    """One whose library makes arrays, as that of PyTorch does."""

    def new_empty(self, shape):
        return Tensor(np.empty(shape, self._array.dtype))

    def __getitem__(self, chosen):
        return Tensor(self._array[chosen])


class Claimed:
    """A capsule that claims anything of some memory."""

    def __init__(self, device=2, version=None, code=2, bits=64, lanes=1, shape=(4, 3),
                 strides=None, flags=0):
        self._memory = np.zeros(64)
        self._shape = (ctypes.c_int64 * len(shape))(*shape)
        self._strides = (ctypes.c_int64 * len(shape))(*strides) if strides else None
        self._given = ek._arrays._Versioned(version or 0, 0, None, None, flags, (
            self._memory.ctypes.data - 8, device, 0, len(shape), code, bits, lanes, self._shape,
            self._strides, 8))
        self._version = version

    def __dlpack__(self, max_version=None, copy=None):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p,
                                                       ctypes.c_void_p]
        if self._version is not None:
            return new(ctypes.addressof(self._given), b"dltensor_versioned", None)
        return new(ctypes.addressof(self._given.tensor), b"dltensor", None)

    def __dlpack_device__(self):
        return self._given.tensor.device, 0

    def new_empty(self, shape):
        return Claimed(self._given.tensor.device, shape=shape)


def arrays_of_other_libraries():
    count = 400 if rank == 0 else 0
    x, ids = np.random.default_rng(5).random((3, count)).astype(np.float32), np.arange(count)
    first = x.copy()
    objects = ek.Set(position=Tensor(x.T), id=Tensor(ids), half=Shared(ids.astype(np.float16)),
                     pair=Tensor(np.stack([ids, -ids], axis=1)), weight="id")
    field = objects._fields["position"].c
    check(field.data == x.ctypes.data or count == 0, "memory is shared")
    check(count == 0 or (field.object_stride, field.component_stride) == (1, count), "strides")
    balancer = ek.Balancer(comm, log="off")
    check(balancer.rebalance(objects) == (ranks > 1), "tensors move")
    check(type(objects.position) is Tensor and type(objects.half) is np.ndarray, "libraries")
    mine = objects.id._array
    check(comm.allreduce(int(mine.sum())) == comm.allreduce(int(ids.sum())), "all tensors")
    check(np.array_equal(objects.position._array, comm.bcast(first)[:, mine].T), "positions")
    check(np.array_equal(objects.half, mine.astype(np.float16)), "numbers of 16 bits")
    check(np.array_equal(objects.pair._array, np.stack([mine, -mine], axis=1)), "pairs")
    halo = ek.Halo(balancer, objects, 0.1)
    ghosts = halo.exchange(objects)
    check(type(ghosts.position) is Tensor and len(ghosts) == len(halo), "ghosts are tensors")
    sums, ones = np.zeros(len(objects)), np.ones(len(ghosts))
    halo.sum_back(Shared(sums), Shared(ones))
    check(comm.allreduce(sums.sum()) == comm.allreduce(len(ghosts)), "sums of tensors")
    values = np.zeros(300)

    def add(batch):
        value, by = batch.fields
        value[batch.places] += by[batch.places]

    loan = balancer.loan("add")
    by = np.full(300, 2.0)
    by.flags.writeable = False
    loan.run([Shared(values)], add, inputs=[by])
    check(np.all(values == 2), "a loan of tensors")
    raises(lambda: loan.run([by], add, inputs=[by]), "read-only")

    # Kinds of memory, and memory that this build does not have.
    for device, kind in ((1, 0), (2, 1), (3, 0), (10, 1), (11, 0), (13, 2)):
        for version in (None, 1):
            field = ek._Field(Claimed(device, version), "x")
            check(field.c.memory == kind and field.c.type == 10, f"the kind of {device}")
            check((field.c.count, field.c.components) == (4, 3), f"the shape of {device}")
    array = np.ones((5, 3))
    uses = sys.getrefcount(array)
    for shared in (Shared, Tensor):
        field = ek._Field(shared(array), "x")
        check(sys.getrefcount(array) > uses, "a field keeps its array")
        del field
        check(sys.getrefcount(array) == uses, "the array is freed with its field")
    claimed = Claimed()
    field = ek._Field(claimed, "x")
    check(field.array is claimed and field.c.data == claimed._memory.ctypes.data, "the address")
    check(field.at.__cuda_array_interface__["data"][0] == field.c.data, "the address for others")
    if "device" not in sys.argv:
        raises(lambda: balancer.rebalance(ek.Set(position=Claimed())), "without a device")
        raises(lambda: loan.run([Claimed()], add), "without a device")
    number = np.arange(3)
    batch = ek.Batch(ek._c.Batch(count=2, objects=number.ctypes.data, field_count=1,
                                 fields=ctypes.pointer(field.c), cost=number.ctypes.data), [field])
    for array, of, shape, kind in ((batch.fields[0], claimed._memory, (4, 3), "<f8"),
                                   (batch.places, number, (2,), "<i8"),
                                   (batch.cost, number, (4,), "<f8")):
        given = array.__cuda_array_interface__
        check(given["data"] == (of.ctypes.data, False), "the address in a batch on a device")
        check((given["shape"], given["typestr"]) == (shape, kind), f"a batch on a device: {given}")
    raises(lambda: loan.run([Claimed(1, 1, flags=1)], add), "read-only")
    raises(lambda: loan.run([Claimed(1, shape=(4, 4), strides=(1, 4))], add), "contiguous")
    raises(lambda: ek.Set(position=Claimed(15)), "DLPack kind 15")
    raises(lambda: ek.Set(position=Claimed(1, 2)), "version 2 of DLPack")
    raises(lambda: ek.Set(position=Claimed(1, bits=4)), "4 bits")
    raises(lambda: ek.Set(position=Claimed(shape=())), "no array")
    raises(lambda: ek.Set(position=Claimed(shape=(5, 3), strides=(0, 1))), "even distances")
    raises(lambda: ek.Set(position=Claimed(shape=(2, 2, 2), strides=(4, 4, 1))), "even distances")
    raises(lambda: balancer.rebalance(ek.Set(position=Claimed(1, code=4, bits=16))), "type bytes")
    raises(lambda: balancer.rebalance(ek.Set(position=Claimed(1, shape=(4, 5)))), "component")
    raises(lambda: ek.Set(position=np.array([[None, None]])), "objects of Python")

    class Foreign:
        __cuda_array_interface__ = {"data": (4096, False), "shape": (4, 3), "typestr": "<f8",
                                    "strides": None, "version": 3}

    check(ek._Field(Foreign(), "x").c.memory == 1, "arrays with an interface of CUDA")
    raises(lambda: ek.Set(position=Foreign()), "cupy.asarray")
    balancer.finish()


def journals_are_replayed():
    journal = f"python_test_replay_{ranks}.jsonl"
    objects = ek.Set(position=np.random.default_rng(1).random((2000 if rank == 0 else 0, 2)))
    balancer = ek.Balancer(comm, trigger="every 20", deterministic=True, log="off",
                           journal=journal)
    work = balancer.kernel("work")
    for _ in range(60):
        objects.position[:, 0] = objects.position[:, 0] * 1.03 % 1
        with work:
            for _ in range(len(objects) // 50):
                np.sin(objects.position)
        balancer.step(objects)
    balancer.finish()
    if shutil.which("evenkeel"):
        again = ek.replay(journal)
        check(again.identical and again.ranks == ranks and again.looks > 0, f"again: {again}")
        error = raises(lambda: ek.replay(journal, "threshold 1.2"), "is not a trigger")
        check(error.status == "bad_input", "the kind of a bad trigger")
        raises(lambda: ek.replay("no such journal"), "no such journal")
        if ranks == 1:
            raises(lambda: ek.replay(journal, "never"), "loads of other cuts")
        else:
            tried = ek.replay(journal, "never")
            check(tried.recorded.rebalances == [20, 40, 60], f"on record: {tried}")
            check(tried.trial.rebalances == [] and tried.trial.spent == 0, f"never: {tried}")
            tried = ek.replay(journal, "every 10")
            check(tried.trial.rebalances[:2] == [10, 20], f"every 10: {tried}")
    if rank == 0 and importlib.util.find_spec("matplotlib"):
        draws_loads(journal)
    comm.Barrier()
    if rank == 0:
        os.remove(journal)


def drawn(picture):
    """Draws what picture(axes) adds to a canvas."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    canvas = FigureCanvasAgg(Figure())
    axes = canvas.figure.add_subplot()
    check(picture(axes) is axes, "the axes are returned")
    canvas.draw()
    return axes


def draws_loads(journal):
    table = ek.read_journal(journal)
    axes = drawn(lambda axes: ek.plot.loads(journal, axes))
    marks = [segment[0][0] for segment in axes.collections[0].get_segments()]
    check(ranks == 1 or marks == [20, 40, 60], f"marked rebalances: {marks}")
    check(len(axes.lines) == ranks + 1, "a line for each rank, and one for lambda")
    lambdas = axes.lines[-1].get_ydata()
    check(len(lambdas) > 2 and np.all(lambdas >= 0.999) and np.all(lambdas < ranks + 0.1), "lambda")
    check(np.all(np.diff(axes.lines[-1].get_xdata()) >= 0), "steps ascend")
    labels = {text.get_text() for text in axes.get_legend().get_texts()}
    check(labels == {"each rank", "lambda", "rebalance"}, f"the legend: {labels}")
    raises(lambda: ek.plot.loads(table[:0]), "no look")


def draws_domains():
    points = np.random.default_rng(3).random((4000, 2))
    square = np.floor(points * 8).astype(int) @ [8, 1]
    axes = drawn(lambda axes: ek.plot.domains(points, square, axes))
    colours = np.unique(axes.collections[0].get_facecolors(), axis=0)
    check(len(axes.collections[0].get_offsets()) == 4000, "all points")
    check(2 < len(colours) <= 10, f"{len(colours)} colours")
    colour = {s: tuple(c) for s, c in zip(square, axes.collections[0].get_facecolors())}
    for s in range(64):
        check(s % 8 == 7 or colour[s] != colour[s + 1], f"{s} beside {s + 1}")
        check(s >= 56 or colour[s] != colour[s + 8], f"{s} beside {s + 8}")
    for some, number in ((points, 7), (points[:2], 2), (np.zeros((50, 2)), 3), (points[:0], 0)):
        part = np.arange(len(some)) % max(number, 1) - 1
        axes = drawn(lambda axes: ek.plot.domains(some, part, axes))
        colours = np.unique(axes.collections[0].get_facecolors(), axis=0)
        check(len(colours) == number, f"{len(colours)} colours of {number} parts")
    raises(lambda: ek.plot.domains(np.zeros((5, 3)), np.zeros(5)), "(5, 3) instead of")
    raises(lambda: ek.plot.domains(points, square[:5]), "instead of (count,)")


def rows_move():
    n = 60 if rank == 0 else 0
    ids = np.arange(n)
    lengths = ids % 4
    cells = ek.Set(position=np.stack([ids, 0 * ids, 0 * ids], axis=1).astype(float), id=ids,
                   first=np.arange(0, 2 * n + 1, 2),
                   neighbours=np.stack([(ids - 1) % 60, (ids + 1) % 60], axis=1).ravel(),
                   begin=np.concatenate([[0], np.cumsum(lengths)]), values=np.repeat(ids, lengths),
                   rows=[("first", "neighbours"), ("begin", "values")],
                   graph={"offsets": "first", "columns": "neighbours", "id": "id"})
    balancer = ek.Balancer(comm, method="graph", log="off")
    for _ in range(2):
        balancer.rebalance(cells)
    check(comm.allreduce(len(cells)) == 60 and len(cells) <= 63 / ranks + 1, "an even cut")
    check(np.array_equal(np.diff(cells.begin), cells.id % 4), "lengths of rows")
    check(np.array_equal(cells.values, np.repeat(cells.id, cells.id % 4)), "values of rows")
    apart = (cells.neighbours - np.repeat(cells.id, 2)) % 60
    check(set(apart) <= {1, 59} and len(apart) == 2 * len(cells), "neighbours")
    balancer.finish()


def errors_are_exceptions():
    raises(lambda: ek.Balancer(comm, metod="hilbert"), "metod")
    raises(lambda: ek.Set(position=np.zeros((3, 3)), weight="mass"), "no array of the set")
    balancer = ek.Balancer(comm, log="off")
    x = np.random.default_rng(rank).random((20, 3))
    if rank == ranks - 1:
        x[4, 1] = np.nan
    raises(lambda: balancer.rebalance(ek.Set(position=x)), "not finite")

    def fail():
        if rank == ranks - 1:
            raise KeyError("no buffer")

    balancer.before_move(fail)
    if ranks > 1:
        x[4, 1] = 0.5
        error = raises(lambda: balancer.rebalance(ek.Set(position=x)), "before a move returned 1")
        check(rank != ranks - 1 or isinstance(error.__cause__, KeyError), "the cause of a hook")
    balancer.finish()
    blocks = ek.BlockBalancer(comm, log="off", most_blocks=5)
    raises(lambda: blocks.describe([1, 2], weight=[1.0]), "instead of 2")
    raises(lambda: blocks.describe([7, 8], weight=[1.0, np.nan]), "weight")
    raises(lambda: blocks.describe([7, 7]), "7")
    raises(blocks.accept, "no proposal")
    raises(lambda: ek.Graph([0, 0], [], mass=[1]), "no 'mass'")
    raises(lambda: ek.GridBalancer(comm), "no box")


def blocks_get_ranks():
    blocks = set(range(24)) if rank == 0 else set()
    balancer = ek.BlockBalancer(comm, trigger="every 0:0:4", deterministic=True, log="off")
    ids = sorted(blocks)
    balancer.describe(ids, weight=[1 + b % 3 for b in ids], centre=[[b, 0, 0] for b in ids],
                      cells=[[4, 4, 4]] * len(ids), neighbours=[[(b + 1) % 24] for b in ids],
                      made_from=ids, bytes=[8.0] * len(ids))
    proposals = 0
    for _ in range(12):
        for block in blocks:
            with balancer.block(block):
                pass
        wanted = balancer.step()
        if wanted is None:
            continue
        proposals += 1
        check(len(wanted.map) == 24 and wanted.lambda_ < 1.2, "a map")
        check(comm.allreduce(len(wanted.leaving)) == wanted.blocks_moved, "leaving")
        check(wanted.bytes_moved == 8 * wanted.blocks_moved, "bytes")
        check(np.all(wanted.arriving["to"] == rank), "arriving")
        blocks = (blocks - set(wanted.leaving["id"])) | set(wanted.arriving["id"])
        balancer.accept(sorted(blocks))
    check(proposals == (ranks > 1), "one proposal")
    check(sum(1 + b % 3 for b in blocks) <= 1.2 * 48 / ranks, "loads are even")
    balancer.finish()


def boxes_get_ranks():
    for options in ("tensor", "bisection", "voronoi"):
        balancer = ek.GridBalancer(comm, box=[0, 0, 1, 1], log="off", method=options)
        lower, upper = balancer.domain()
        x = np.random.default_rng(rank).random((100, 2))
        x = lower[:2] + (upper - lower)[:2] * x
        work = np.where(x.sum(axis=1) < 0.8, 5.0, 1.0)
        cells = ek.Set(position=x, work=work, weight="work")
        before = int(np.prod(balancer.cells([32, 32, 1])[2]["end"]
                             - balancer.cells([32, 32, 1])[2]["begin"], axis=1).sum())
        check(comm.allreduce(before) == 1024, "all cells are there")
        if options == "bisection":
            proposed = balancer.propose(cells=cells)
        elif options == "voronoi":
            proposed = balancer.propose(work.sum(), centre_of_work=[*x.mean(axis=0), 0])
        else:
            proposed = balancer.propose(work.sum())
        check(proposed == (ranks > 1), f"{options} proposes domains")
        leaving, entering, staying = balancer.cells([32, 32, 1])
        count = [int(np.prod(c["end"] - c["begin"], axis=1).sum()) for c in (leaving, entering)]
        check(comm.allreduce(count[0]) == comm.allreduce(count[1]), "cells that move")
        if proposed:
            balancer.accept()
        check(ranks == 1 or len(balancer.neighbours()) > 0, "neighbours")
        check(0 <= balancer.owner([0.3, 0.4]) < ranks, "an owner")
        check(not balancer.step(cells), "a step")
        balancer.finish()


def ghosts_come():
    objects = ek.Set(position=np.random.default_rng(rank).random((300, 3)),
                     id=np.arange(300) + 1000 * rank)
    balancer = ek.Balancer(comm, log="off", box=[0, 0, 0, 1, 1, 1])
    balancer.rebalance(objects)
    halo = ek.Halo(balancer, objects, 0.2, straight=True)
    ghosts = halo.exchange(objects)
    check(halo.is_current() and len(ghosts) == len(halo), "ghosts")
    directory = ek.Directory(objects.id, comm)
    ranks_of, indices = directory.look_up(ghosts.id)
    check(all(balancer.owner(x) == r != rank for x, r in zip(ghosts.position, ranks_of)), "owners")
    check(np.all(indices >= 0) and directory.look_up([-1])[0][0] == -1, "indices")
    sums, of_ghosts = np.ones(len(objects)), np.ones(len(ghosts))
    halo.sum_back(sums, of_ghosts)
    check(comm.allreduce(sums.sum()) == comm.allreduce(len(objects) + len(ghosts)), "sums")
    around = ek.Halo.around_ids(balancer, directory, ghosts.id, len(objects))
    check(len(around) == len(ghosts), "ghosts around ids")
    directory.update(objects.id)
    check(np.array_equal(ek.local_indices(objects.id, objects.id[::-1][:2]),
                         [len(objects) - 1, len(objects) - 2]), "local indices")
    balancer.finish()


def work_is_lent():
    cells = 3000
    values = np.arange(cells, dtype=float)
    turns = np.full(cells, 2000.0 if rank == 0 else 5.0)

    def heat(batch):
        value, needed = batch.fields
        places = batch.places
        count = needed[places].astype(int)
        for i, n in enumerate(count):
            place = i if isinstance(places, slice) else places[i]
            value[place] += np.sqrt(np.arange(n)).sum()
        batch.cost[places] = count

    with_monitor = ek.Monitor(comm, log="off")
    loan = with_monitor.loan("heat")
    lent = [loan.run([values], heat, inputs=[turns]) for _ in range(2)]
    check(lent == [False, ranks > 1], "the second call lends")
    each = np.sqrt(np.arange(int(turns[0]))).sum()
    check(np.array_equal(values, (np.arange(cells, dtype=float) + each) + each), "results")

    def fail(batch):
        if rank == ranks - 1:
            raise KeyError("no such species")

    error = raises(lambda: loan.run([values], fail, inputs=[turns]), "a loan returned 1")
    check(rank != ranks - 1 or isinstance(error.__cause__, KeyError), "the cause of an error")
    del loan
    with_monitor.finish()


def divisions_are_even():
    map_, lambda_, bound = ek.assign([4, 3, 3, 2, 2, 2], 2)
    check(lambda_ == bound == 1 and len(map_) == 6, "assign")
    points = np.random.default_rng(rank).random((100, 3))
    for method in ("hilbert", "voronoi"):
        part = ek.partition(points, 4, method=method, comm=comm)
        for p in range(4):
            found = comm.allreduce(int((part == p).sum()))
            check(abs(found - 25 * ranks) <= 2 + ranks, f"points by {method}")
    mine, all_ = 12, 12 * ranks
    vertex = np.arange(mine) + rank * mine
    columns = np.stack([(vertex - 1) % all_, (vertex + 1) % all_], axis=1).ravel()
    graph = ek.Graph(2 * np.arange(mine + 1), columns.astype(np.int32), weight=np.ones(mine))
    part, report = ek.cut_graph(graph, 3, comm=comm, method="graph fast 1.05")
    check(report.cut_edges == report.cut == 3 and len(part) == mine, "a ring is cut three times")
    part, report = ek.cut_nets(mine, graph, 3, comm=comm, from_=part)
    check(report.cut >= 3 and report.parts == 3, "nets")
    offsets, lambda_ = ek.cut_chain([1, 2, 3, 1, 1, 4], 3)
    check(list(offsets) == [0, 2, 5, 6] and lambda_ == 1.25, "a chain")
    balancer = ek.GraphBalancer(comm, method="graph fast 1.5", log="off")
    check(balancer.step(graph) is None, "no proposal yet")
    part, report = balancer.propose(graph, "graph good 1.1")
    check(report.parts == ranks and set(part) <= set(range(ranks)), "ranks of vertices")
    balancer.drop()
    raises(lambda: balancer.propose(graph, "voronoi"), "voronoi")
    balancer.finish()


check("matplotlib" not in sys.modules, "matplotlib is imported only when it is used")
objects_move()
blocks_get_ranks()
boxes_get_ranks()
ghosts_come()
rows_move()
arrays_of_other_libraries()
journals_are_read()
journals_are_replayed()
if rank == 0 and importlib.util.find_spec("matplotlib"):
    draws_domains()
errors_are_exceptions()
work_is_lent()
divisions_are_even()
ek.stop()
sys.exit(comm.allreduce(failures) > 0)
