! The Fortran module: objects move, work is lent, divisions are even, and errors come back.
module fortran_test_tools
  use, intrinsic :: iso_c_binding
  use evenkeel
  use mpi_f08
  implicit none
  integer :: failures = 0, rank = 0, ranks = 1
contains
  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (condition) return
    failures = failures + 1
    print '(a,i0,2a)', 'rank ', rank, ': ', what
  end subroutine

  function sum_of(mine) result(all)
    integer(c_int64_t), intent(in) :: mine
    integer(c_int64_t) :: all
    call MPI_Allreduce(mine, all, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
  end function

  subroutine objects_move()
    integer, parameter :: room = 5000
    real(c_double) :: x(3, room)
    integer(c_int64_t) :: id(room), count, i, before
    real(c_float) :: mass(room)
    type(ek_balancer) :: balancer
    type(ek_kernel) :: work
    type(ek_set) :: set
    type(ek_move) :: move
    logical :: moved
    integer :: step
    count = 500 + 100 * rank
    call random_init(.true., .true.)
    call random_number(x)
    do i = 1, count
      id(i) = 1000000 * rank + i
      mass(i) = real(x(1, i), c_float) + 1
    end do
    before = sum_of(sum(id(1:count)))
    call balancer%create(MPI_COMM_WORLD, 'trigger = every 0:0:6; log = off')
    work = balancer%kernel('work')
    call set%position(x)
    call set%carry(id)
    call set%carry(mass)
    call set%weight(mass)
    call balancer%rebalance(set, count, move)
    call check(ranks == 1 .or. move%objects > 0, 'the first distribution moves objects')
    do step = 1, 12
      call work%begin()
      call work%end()
      call balancer%step(set, count, moved)
    end do
    call check(sum_of(sum(id(1:count))) == before, 'every object is there')
    do i = 1, count
      call check(balancer%owner(x(:, i)) == rank, 'objects are on their owners')
      call check(mass(i) == real(x(1, i), c_float) + 1, 'values stay together')
    end do
    call balancer%finish()
    call balancer%free()
  end subroutine

  subroutine errors_come_back()
    type(ek_balancer) :: balancer
    type(ek_set) :: set
    real(c_double) :: x(3, 10)
    integer(c_int64_t) :: count
    integer :: stat
    character(400) :: text
    call balancer%create(MPI_COMM_WORLD, 'metod = hilbert', stat, text)
    call check(stat == ek_bad_input .and. index(text, 'metod') > 0, 'an unknown option')
    call balancer%create(MPI_COMM_WORLD, 'log = off')
    call random_number(x)
    if (rank == ranks - 1) x(2, 5) = transfer(-1_c_int64_t, 1.0_c_double)
    count = 10
    call set%position(x)
    call balancer%rebalance(set, count, stat=stat, errmsg=text)
    call check(stat == ek_bad_input .and. index(text, 'finite') > 0, 'a coordinate that is NaN')
    call balancer%finish()
    call balancer%finish(stat, text)
    call check(stat == ek_bad_input .and. index(text, 'after finish') > 0, 'use after finish')
    call balancer%free()
    call balancer%finish(stat, text)
    call check(stat == ek_bad_input .and. index(text, 'null pointer') > 0, 'use after free')
  end subroutine

  ! Columns of cells; work(i) is the number of turns that column i needs.
  subroutine heat(batch)
    type(ek_batch), intent(inout) :: batch
    real(c_double), pointer :: column(:, :), turns(:, :)
    integer(c_int64_t) :: i, p
    integer :: k
    call batch%get(1, column)
    call batch%get(2, turns)
    do i = 1, batch%count
      p = batch%place(i)
      do k = 1, int(turns(1, p))
        column(:, p) = column(:, p) + sqrt(real(k, c_double))
      end do
      batch%cost(p) = turns(1, p)
    end do
  end subroutine

  subroutine fail(batch)
    type(ek_batch), intent(inout) :: batch
    if (rank == ranks - 1) batch%status = 7
  end subroutine

  subroutine work_is_lent()
    integer, parameter :: columns = 800
    real(c_double) :: column(4, columns), turns(columns), expected
    type(ek_monitor) :: monitor
    type(ek_loan) :: loan
    integer(c_int64_t) :: count
    logical :: lent
    integer :: step, k, stat
    character(400) :: text
    count = columns
    turns = merge(4000, 10, rank == 0)
    column = 1
    expected = 1
    call monitor%create(MPI_COMM_WORLD%mpi_val, 'log = off')
    call monitor%loan('heat', loan)
    do step = 1, 2
      call loan%keep(column)
      call loan%input(turns)
      call loan%run(count, heat, lent)
      do k = 1, int(turns(1))
        expected = expected + sqrt(real(k, c_double))
      end do
    end do
    call check(lent .eqv. ranks > 1, 'the second call lends')
    call check(all(column == expected), 'results are as without lending')
    call loan%keep(column)
    call loan%run(count, fail, stat=stat, errmsg=text)
    call check(stat == ek_application .and. index(text, 'returned 7') > 0, 'work that fails')
    call loan%free()
    call monitor%finish()
    call monitor%free()
  end subroutine

  subroutine divisions_are_even()
    integer(c_int) :: map(6), part(100)
    real(c_double) :: lambda, points(3, 100)
    integer(c_int64_t) :: offsets(13), columns(24), cut, all, vertex
    integer(c_int) :: parts(12)
    integer :: v, p
    call ek_assign([4d0, 3d0, 3d0, 2d0, 2d0, 2d0], 2, map, lambda=lambda)
    call check(lambda == 1 .and. count(map == 0) == 3 - merge(1, 0, count(map == 0) == 2), 'assign')
    call random_number(points)
    call ek_partition(MPI_COMM_WORLD, points, part, parts=4)
    do p = 0, 3
      call check(abs(sum_of(int(count(part == p), c_int64_t)) - 25 * ranks) <= 2 + ranks, 'points')
    end do
    all = 12 * ranks
    do v = 0, 11
      vertex = 12 * rank + v
      offsets(v + 1) = 2 * v
      columns(2 * v + 1) = mod(vertex + all - 1, all)
      columns(2 * v + 2) = mod(vertex + 1, all)
    end do
    offsets(13) = 24
    call ek_cut_graph(MPI_COMM_WORLD, offsets, columns, parts, 3, cut)
    call check(cut == 3, 'a ring is cut three times')
  end subroutine
end module

program fortran_test
  use fortran_test_tools
  implicit none
  integer(c_int64_t) :: all
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call objects_move()
  call errors_come_back()
  call work_is_lent()
  call divisions_are_even()
  call ek_stop()
  all = sum_of(int(failures, c_int64_t))
  call MPI_Finalize()
  if (all > 0) error stop 1
end program
