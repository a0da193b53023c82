"""Particles that need those around them, also on other ranks. mpirun -n 2 python3 ghosts.py"""
import numpy as np
from mpi4py import MPI

import evenkeel as ek

comm = MPI.COMM_WORLD
side, width = 12, 1.5
balancer = ek.Balancer(comm, box=[0, 0, 0, 12, 12, 12], periodic="xyz")
force = balancer.kernel("force")
i = np.arange(side**3 if comm.rank == 0 else 0)
x = np.stack([i // side**2, i // side % side, i % side], axis=1) + 0.5
particles = ek.Set(position=x, energy=np.zeros(len(x)))
balancer.rebalance(particles)  # before it there are no domains

halo = None
for step in range(10):
    if halo is None or not halo.is_current():
        halo = ek.Halo(balancer, particles, width, straight=True)
    ghosts = halo.exchange(particles)  # a Set, whose positions are shifted by whole periods
    energy = np.zeros(len(particles) + len(ghosts))
    with force:
        everything = np.concatenate([particles.position, ghosts.position])
        for k, place in enumerate(particles.position):
            square = ((everything - place) ** 2).sum(axis=1)
            near = square < width**2
            near[k] = False
            energy[near] += 2.0 ** -np.rint(4 * square[near])
    halo.sum_back(energy[:len(particles)], energy[len(particles):])
    particles.energy[:] += energy[:len(particles)]
    balancer.step(particles)
balancer.finish()

bits = int(particles.energy.view(np.uint64).sum(dtype=np.uint64))
checksum = comm.allreduce(bits) % 2**64  # the sum of the bits of all energies
if comm.rank == 0:
    print(f"rank 0 has {len(particles)} particles, checksum {checksum:016x}")
del halo, balancer
ek.stop()
