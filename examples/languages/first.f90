! A balanced program in Fortran: all objects begin on rank 0. mpirun -n 2 first_fortran
program first
  use, intrinsic :: iso_c_binding
  use evenkeel
  use mpi_f08
  implicit none
  real(c_double), allocatable, target :: x(:, :), mass(:)
  integer(c_int64_t) :: count, i, checksum
  integer :: rank, step, k
  type(ek_balancer) :: balancer
  type(ek_kernel) :: force
  type(ek_set) :: objects

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call balancer%create(MPI_COMM_WORLD, 'method = hilbert')
  force = balancer%kernel('force')

  count = merge(6000, 0, rank == 0)
  allocate (x(3, count), mass(count))
  x = 0
  mass = 0
  do i = 1, count
    x(mod(i - 1, 3_c_int64_t) + 1, i) = i - 1
  end do
  call objects%position(x)
  call objects%grow(x)
  call objects%grow(mass)

  do step = 1, 60
    call force%begin()
    do i = 1, count
      do k = 1, 99
        mass(i) = mass(i) + 1 / (k + x(1, i))
      end do
    end do
    call force%end()
    ! Collective. Moves only when worth it; then x, mass and count are new.
    call balancer%step(objects, count)
  end do
  call balancer%finish()

  checksum = 0  ! the sum of the bits of all masses
  do i = 1, count
    checksum = checksum + transfer(mass(i), checksum)
  end do
  call MPI_Allreduce(MPI_IN_PLACE, checksum, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(a,i0,a,z16.16)', 'rank 0 has ', count, ' objects, checksum ', checksum
  call balancer%free()
  call ek_stop()
  call MPI_Finalize()
end program
