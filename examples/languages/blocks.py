"""A code that owns blocks of cells and moves them itself. Blocks at the surface of a moving sphere
are divided into eight, and merged behind it. mpirun -n 2 python3 blocks.py"""
import numpy as np
from mpi4py import MPI

import evenkeel as ek

comm = MPI.COMM_WORLD
side, cells, steps = 4, 512, 60

# Part 0 is the whole root, and 1 to 8 are its eighths. The id is 9 * root + part.
blocks = {9 * root: np.zeros(cells) for root in range(side**3 if comm.rank == 0 else 0)}


def place_of(root):
    return np.array([root // side**2, root // side % side, root % side])


def is_at_surface(root, step):
    x = place_of(root) + [0.5 - float(side) * step / steps, -1.5, -1.5]
    return 0.5 < x[0] * x[0] + x[1] * x[1] + x[2] * x[2] < 3.5


def refined(step):
    """New blocks begin on the rank of the old one. The first of eight replaces all when they
    merge."""
    fresh = {}
    for id, cell in blocks.items():
        root, part = divmod(id, 9)
        if not is_at_surface(root, step):
            parts = [0] if part <= 1 else []
        else:
            parts = [part] if part > 0 else range(1, 9)
        fresh.update({9 * root + p: cell.copy() for p in parts})
    return fresh


def describe(balancer):
    """An eighth was made from the root, and a root from its eighths."""
    centres, parents = [], []
    for root, part in (divmod(id, 9) for id in blocks):
        eighth = [0.75 if (part - 1) >> d & 1 else 0.25 for d in range(3)]
        centres.append(place_of(root) + (eighth if part > 0 else 0.5))
        parents.append([9 * root] if part > 0 else [9 * root + p for p in range(1, 9)])
    balancer.describe(list(blocks), bytes=[8 * cells] * len(blocks),
                      weight=[2 if id % 9 > 0 else 1 for id in blocks], centre=centres,
                      made_from=parents)


def move(wanted):
    """Both ranks have the blocks between them in the same order."""
    sends = [comm.Isend(blocks[id], int(to)) for id, _, to, _ in wanted.leaving]
    for id, sender, _, _ in wanted.arriving:
        blocks[int(id)] = np.empty(cells)
        comm.Recv(blocks[int(id)], int(sender))
    MPI.Request.Waitall(sends)
    for id in wanted.leaving["id"]:
        del blocks[int(id)]


balancer = ek.BlockBalancer(comm, price_of_moving=1)
describe(balancer)
for step in range(1, steps + 1):
    for id, cell in blocks.items():
        with balancer.block(id):
            for _ in range(40 if id % 9 > 0 else 20):
                cell += 1 / (1 + cell)
    refines = step % 5 == 0
    if refines:
        blocks = refined(step)
        describe(balancer)
    wanted = balancer.step(changed=refines)  # collective
    if wanted:
        move(wanted)
        balancer.accept()
balancer.finish()

bits = sum(int(cell.view(np.uint64).sum(dtype=np.uint64)) for cell in blocks.values())
checksum = comm.allreduce(bits) % 2**64  # the sum of the bits of all cells
if comm.rank == 0:
    print(f"rank 0 has {len(blocks)} blocks, checksum {checksum:016x}")
del balancer
ek.stop()
