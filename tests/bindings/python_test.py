"""The Python package: objects move, work is lent, divisions are even, and errors are exceptions."""

import os
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
    journal = f"python_test_{ranks}.jsonl"
    balancer = ek.Balancer(comm, trigger="every 0:0:6", log="off", journal=journal)
    work = balancer.kernel("work")
    check(balancer.rebalance(objects) == (ranks > 1) or ranks == 1, "the first distribution moves")
    for _ in range(12):
        with work:
            objects.position[:, 2] *= 0.999
        balancer.step(objects)
    check(comm.allreduce(int(objects.id.sum())) == before, "every object is there")
    check(comm.allreduce(len(objects)) == sum(500 + 100 * r for r in range(ranks)), "the count")
    check(np.array_equal(objects.mass, (objects.position[:, 0] + 1).astype(np.float32)), "masses")
    check(np.array_equal(objects.record["b"], objects.id % 1000), "records stay together")
    check(all(balancer.owner(p) == rank for p in objects.position[:50]), "owners")
    check(len(balancer.saved_state()) > 10, "the state")
    balancer.finish()
    if rank == 0:
        looks = ek.read_journal(journal)
        check(len(looks) > 0 and all(np.diff(looks.step) >= 0), f"the journal: {looks}")
        os.remove(journal)
    error = raises(lambda: balancer.step(objects), "after finish")
    check(error.status == "bad_input", "the kind of an error")


def errors_are_exceptions():
    raises(lambda: ek.Balancer(comm, metod="hilbert"), "metod")
    raises(lambda: ek.Set(position=np.zeros((3, 3)), weight="mass"), "no array of the set")
    balancer = ek.Balancer(comm, log="off")
    x = np.random.default_rng(rank).random((20, 3))
    if rank == ranks - 1:
        x[4, 1] = np.nan
    raises(lambda: balancer.rebalance(ek.Set(position=x)), "not finite")
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
    part, cut = ek.cut_graph(2 * np.arange(mine + 1), columns, 3, comm=comm)
    check(cut == 3, "a ring is cut three times")


objects_move()
errors_are_exceptions()
work_is_lent()
divisions_are_even()
ek.stop()
sys.exit(comm.allreduce(failures) > 0)
