"""The Python package: objects move, blocks, vertices and boxes get ranks, ghosts come, work is
lent, divisions are even, and errors are exceptions."""

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


objects_move()
blocks_get_ranks()
boxes_get_ranks()
ghosts_come()
rows_move()
journals_are_read()
errors_are_exceptions()
work_is_lent()
divisions_are_even()
ek.stop()
sys.exit(comm.allreduce(failures) > 0)
