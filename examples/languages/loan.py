"""Columns of cells stay where they are, but some need much more work than others: ranks with little
work compute columns of other ranks. mpirun -n 2 python3 loan.py"""
import numpy as np
from mpi4py import MPI

import evenkeel as ek

comm = MPI.COMM_WORLD


def react(batch):
    """Works on some columns of this rank or of another one."""
    column, turns = batch.fields
    p = batch.places  # an index for the first axis of each array
    state, left = column[p], turns[p]
    for k in range(int(left.max(initial=0))):
        works = left > k
        state[works] += 1 / (1 + state[works])
    column[p] = state
    batch.cost[p] = left  # any measure of the work


column = np.full((2000, 8), float(comm.rank))
turns = np.full(2000, 50.0 if comm.rank == 0 else 5.0)
monitor = ek.Monitor(comm)
chemistry = monitor.loan("chemistry")
for step in range(20):
    chemistry.run([column], react, inputs=[turns])  # collective
    monitor.step()
monitor.finish()

bits = int(column.view(np.uint64).sum(dtype=np.uint64))
checksum = comm.allreduce(bits) % 2**64  # the sum of the bits of all values
if comm.rank == 0:
    print(f"rank 0 has {len(column)} columns, checksum {checksum:016x}")
del chemistry, monitor
ek.stop()
