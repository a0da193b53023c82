! Columns of cells stay where they are, but some need much more work than others: ranks with little
! work compute columns of other ranks. mpirun -n 2 loan_fortran
module chemistry_of_columns
  use, intrinsic :: iso_c_binding
  use evenkeel
  implicit none
contains
  ! Works on some columns of this rank or of another one.
  subroutine react(batch)
    type(ek_batch), intent(inout) :: batch
    real(c_double), pointer :: column(:, :), turns(:, :)
    integer(c_int64_t) :: i, p
    integer :: k
    call batch%get(1, column)
    call batch%get(2, turns)
    do i = 1, batch%count
      p = batch%place(i)
      do k = 1, int(turns(1, p))
        column(:, p) = column(:, p) + 1 / (1 + column(:, p))
      end do
      batch%cost(p) = turns(1, p)  ! any measure of the work
    end do
  end subroutine
end module

program loan
  use chemistry_of_columns
  use mpi_f08
  implicit none
  integer, parameter :: columns = 2000, species = 8
  real(c_double) :: column(species, columns), turns(columns)
  integer(c_int64_t) :: checksum
  integer :: rank, step, i, k
  type(ek_monitor) :: monitor
  type(ek_loan) :: chemistry
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  column = rank
  turns = merge(50, 5, rank == 0)
  call monitor%create(MPI_COMM_WORLD)
  call monitor%loan('chemistry', chemistry)
  do step = 1, 20
    call chemistry%keep(column)
    call chemistry%input(turns)
    call chemistry%run(int(columns, c_int64_t), react)  ! collective
    call monitor%step()
  end do
  call monitor%finish()

  checksum = 0  ! the sum of the bits of all values
  do i = 1, columns
    do k = 1, species
      checksum = checksum + transfer(column(k, i), checksum)
    end do
  end do
  call MPI_Allreduce(MPI_IN_PLACE, checksum, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(a,i0,a,z16.16)', 'rank 0 has ', columns, ' columns, checksum ', checksum
  call chemistry%free()
  call monitor%free()
  call ek_stop()
  call MPI_Finalize()
end program
