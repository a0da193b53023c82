"""A balanced program in Python: all objects begin on rank 0. mpirun -n 2 python3 first.py"""
import numpy as np
from mpi4py import MPI

import evenkeel as ek

comm = MPI.COMM_WORLD
balancer = ek.Balancer(comm, method="hilbert")
force = balancer.kernel("force")

count = 6000 if comm.rank == 0 else 0
x = np.zeros((count, 3))
x[np.arange(count), np.arange(count) % 3] = np.arange(count)
objects = ek.Set(position=x, mass=np.zeros(count))

for step in range(60):
    with force:
        for k in range(1, 100):
            objects.mass[:] += 1 / (k + objects.position[:, 0])
    balancer.step(objects)  # collective; if objects move, the arrays of the set are new
balancer.finish()

bits = int(objects.mass.view(np.uint64).sum(dtype=np.uint64))
checksum = comm.allreduce(bits) % 2**64  # the sum of the bits of all masses
if comm.rank == 0:
    print(f"rank 0 has {len(objects)} objects, checksum {checksum:016x}")
del balancer
ek.stop()
