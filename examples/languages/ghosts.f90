! Particles that need those around them, also on other ranks. mpirun -n 2 ghosts_fortran
program ghosts
  use, intrinsic :: iso_c_binding
  use evenkeel
  use mpi_f08
  implicit none
  integer, parameter :: side = 12
  real(c_double), parameter :: width = 1.5d0
  real(c_double), allocatable, target :: x(:, :), energy(:)
  integer(c_int64_t) :: count, all, i, j, checksum
  integer :: rank, step, last
  real(c_double) :: square
  type(ek_balancer) :: balancer
  type(ek_kernel) :: force
  type(ek_set) :: particles
  type(ek_halo) :: halo

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call balancer%create(MPI_COMM_WORLD, 'box = 0,0,0,12,12,12; periodic = xyz')
  force = balancer%kernel('force')
  count = merge(side**3, 0, rank == 0)
  allocate (x(3, count), energy(count))
  do i = 1, count
    last = int(i) - 1
    x(:, i) = [last / side**2, mod(last / side, side), mod(last, side)] + 0.5d0
  end do
  energy = 0
  call particles%position(x)
  call particles%grow(x)
  call particles%grow(energy)
  call balancer%rebalance(particles, count)  ! before it there are no domains

  do step = 1, 10
    if (.not. halo%is_current()) then
      call halo%create(balancer, particles, count, width, straight=.true.)
      call halo%make_room(particles, count)  ! behind the particles of this rank
    end if
    call halo%exchange(particles, count)
    all = count + halo%ghosts()
    energy(count + 1:all) = 0
    call force%begin()
    do i = 1, count
      do j = 1, all
        square = sum((x(:, j) - x(:, i))**2)
        if (i /= j .and. square < width**2) energy(j) = energy(j) + 2d0**(-nint(4 * square))
      end do
    end do
    call force%end()
    call halo%sum_back(energy)  ! adds that of ghosts to that of their particles
    call balancer%step(particles, count)
  end do
  call balancer%finish()

  checksum = 0  ! the sum of the bits of all energies
  do i = 1, count
    checksum = checksum + transfer(energy(i), checksum)
  end do
  call MPI_Allreduce(MPI_IN_PLACE, checksum, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(a,i0,a,z16.16)', 'rank 0 has ', count, ' particles, checksum ', checksum
  call halo%free()
  call balancer%free()
  call ek_stop()
  call MPI_Finalize()
end program
