! The Fortran module: objects move, arrays grow, blocks, vertices and boxes get ranks, ghosts come,
! work is lent, divisions are even, and errors come back.
module fortran_test_tools
  use, intrinsic :: iso_c_binding
  use evenkeel
  use mpi_f08
  implicit none
  integer :: failures = 0, rank = 0, ranks = 1, hooks = 0
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

  ! Calls of the hooks, which fail if `hooks` is negative.
  subroutine hook(status)
    integer, intent(inout) :: status
    if (hooks < 0) then
      if (rank == ranks - 1) status = 9
      return
    end if
    hooks = hooks + 1
  end subroutine

  ! All objects begin on rank 0. Arrays of all ranks and types grow, and keep their lower bounds.
  subroutine arrays_grow()
    real(c_double), allocatable, target :: x(:, :), cells(:, :, :, :)
    real(c_float), allocatable, target :: mass(:)
    integer(c_int64_t), allocatable, target :: id(:)
    integer(c_int32_t), allocatable, target :: pair(:, :, :)
    integer(c_int64_t) :: count, i, all
    type(ek_balancer) :: balancer
    type(ek_set) :: set
    logical :: moved
    integer :: step, stat
    character(400) :: text
    count = merge(1000, 0, rank == 0)
    allocate (x(3, count), cells(0:1, 2, -1:1, count), mass(count), id(count), pair(1, 2, count))
    call random_number(x)
    do i = 1, count
      id(i) = i
      mass(i) = real(i, c_float)
      cells(:, :, :, i) = real(i, c_double)
      pair(1, :, i) = [int(i), -int(i)]
    end do
    call balancer%create(MPI_COMM_WORLD, 'trigger = every 0:0:6; log = off')
    hooks = 0
    call balancer%before_move(hook)
    call balancer%after_move(hook)
    call set%position(x)
    call set%grow(x)
    call set%grow(mass)
    call set%grow(cells)
    call set%grow(id)
    call set%grow(pair)
    call set%weight(mass)
    call balancer%rebalance(set, count)
    call check(hooks == merge(2, 0, ranks > 1) .or. ranks == 1, 'both hooks were called')
    do step = 1, 12
      if (rank == 0) deallocate (pair)  ! the program may reallocate them, too
      if (rank == 0) allocate (pair(1, 2, count))
      do i = 1, count
        x(:, i) = 0.99d0 * x(:, i)
        pair(1, :, i) = [int(id(i)), -int(id(i))]
      end do
      call balancer%step(set, count, moved)
    end do
    all = sum_of(count)
    call check(all == 1000 .and. sum_of(sum(id(:count))) == 500500, 'every object is there')
    call check(ranks == 1 .or. count < 1000, 'rank 0 does not have all')
    call check(size(x, 2) >= count .and. size(cells, 4) >= count, 'arrays have room')
    call check(lbound(cells, 1) == 0 .and. lbound(cells, 3) == -1 .and. size(cells, 3) == 3, &
               'lower bounds')
    do i = 1, count
      call check(mass(i) == real(id(i), c_float) .and. all_are(cells(:, :, :, i), id(i)) .and. &
                 pair(1, 1, i) == id(i) .and. pair(1, 2, i) == -id(i), 'values stay together')
    end do
    call check(len(balancer%state()) > 10, 'the state')
    hooks = -1  ! a hook that fails
    x(1, :) = 1 - x(1, :)**4
    call balancer%rebalance(set, count, stat=stat, errmsg=text)
    call check(ranks == 1 .or. (stat == ek_application .and. index(text, 'returned 9') > 0), &
               'a hook that fails: '//trim(text))
    call check(sum_of(sum(id(:count))) == 500500, 'the move is undone')
    call balancer%finish()
    call balancer%free()
  end subroutine
  ! Cells of a ring know their neighbours by ids. All begin on rank 0.
  subroutine rows_move()
    integer, parameter :: all = 60
    real(c_double), allocatable, target :: x(:, :)
    integer(c_int64_t), allocatable, target :: id(:), neighbours(:), first(:)
    integer(c_int64_t) :: count, i
    type(ek_balancer) :: balancer
    type(ek_set) :: set
    logical :: is_right
    count = merge(all, 0, rank == 0)
    allocate (x(3, count), id(count), neighbours(2 * count), first(count + 1))
    x = 0
    do i = 1, count
      id(i) = i
      x(1, i) = real(i, c_double)
      neighbours(2 * i - 1:2 * i) = [modulo(i - 2, int(all, c_int64_t)) + 1, &
                                     modulo(i, int(all, c_int64_t)) + 1]
    end do
    first = [(2 * (i - 1), i = 1, count + 1)]
    call balancer%create(MPI_COMM_WORLD, 'method = graph; log = off')
    call set%position(x)
    call set%grow(x)
    call set%grow(id)
    call set%rows(first, neighbours)
    call set%grow(first)
    call set%grow(neighbours)
    call set%graph(first, neighbours, id=id)
    call balancer%rebalance(set, count)
    call balancer%rebalance(set, count)
    call check(sum_of(count) == all .and. ranks * count <= 63 + ranks, 'an even cut')
    do i = 1, count
      is_right = modulo(neighbours(first(i) + 1) - id(i), int(all, c_int64_t)) == all - 1 .and. &
                 modulo(neighbours(first(i) + 2) - id(i), int(all, c_int64_t)) == 1
      call check(is_right .and. first(i + 1) == first(i) + 2, 'rows move')
    end do
    call balancer%finish()
    call balancer%free()
  end subroutine
  logical function all_are(values, id)
    real(c_double), intent(in) :: values(:, :, :)
    integer(c_int64_t), intent(in) :: id
    all_are = all(values == real(id, c_double))
  end function

  subroutine blocks_get_ranks()
    integer, parameter :: all = 24
    type(ek_block_balancer) :: balancer
    type(ek_block_proposal) :: proposal
    integer(c_int64_t), allocatable :: ids(:)
    integer(c_int64_t) :: b
    real(c_double), allocatable :: centre(:, :)
    logical :: wanted
    integer :: step, proposals, stat, move
    character(400) :: text
    call balancer%create(MPI_COMM_WORLD, &
                         'trigger = every 0:0:4; deterministic = on; log = off; most_blocks = 24')
    allocate (ids(0))
    if (rank == 0) ids = [(int(b, c_int64_t), b = 1, all)]
    allocate (centre(3, size(ids)))
    centre = 0
    do b = 1, size(ids)
      centre(1, b) = real(b, c_double)
    end do
    call balancer%describe(ids, weight=[(1 + real(mod(ids(b), 3_c_int64_t), c_double), &
                                         b = 1, size(ids))], centre=centre)
    proposals = 0
    do step = 1, 12
      do b = 1, size(ids)
        call balancer%begin(ids(b))
        call balancer%end(ids(b))
      end do
      call balancer%step(wanted, proposal)
      if (.not. wanted) cycle
      proposals = proposals + 1
      call check(size(proposal%map) == all .and. proposal%lambda < 1.2 .and. &
                 sum_of(size(proposal%leaving, kind=c_int64_t)) == proposal%blocks_moved, 'a map')
      do move = 1, size(proposal%leaving)
        ids = pack(ids, ids /= proposal%leaving(move)%id)
      end do
      ids = [ids, proposal%arriving%id]
      call balancer%accept_blocks(ids)
    end do
    call check(proposals == merge(1, 0, ranks > 1), 'one proposal')
    call check(10 * ranks * sum(1 + mod(ids, 3_c_int64_t)) <= 12 * 2 * all, 'loads are even')
    call balancer%accept(stat, text)
    call check(stat == ek_bad_input .and. index(text, 'no proposal') > 0, 'nothing to accept')
    call balancer%finish()
    call balancer%free()
  end subroutine

  subroutine boxes_get_ranks()
    type(ek_grid_balancer) :: balancer
    type(ek_cells), pointer :: leaving(:), entering(:), staying(:)
    real(c_double) :: lower(3), upper(3)
    integer(c_int), allocatable :: neighbours(:)
    logical :: wanted
    integer :: stat, r
    integer(c_int64_t) :: here
    character(400) :: text
    call balancer%create(MPI_COMM_WORLD, 'log = off', stat, text)
    call check(stat == ek_bad_input .and. index(text, 'no box') > 0, 'no box')
    call balancer%create(MPI_COMM_WORLD, 'log = off; box = 0,0,4,4; method = tensor')
    call balancer%domain(lower, upper)
    call balancer%propose(wanted, work=real(1 + rank, c_double))
    call check(wanted .eqv. ranks > 1, 'new domains are proposed')
    call balancer%cells([40_c_int64_t, 40_c_int64_t, 1_c_int64_t], leaving, entering, staying)
    here = 0
    do r = 1, size(staying)
      here = here + product(staying(r)%end - staying(r)%begin)
    end do
    do r = 1, size(entering)
      here = here + product(entering(r)%end - entering(r)%begin)
    end do
    call check(sum_of(here) == 1600, 'all cells are there')
    if (wanted) call balancer%accept()
    neighbours = balancer%neighbours()
    call check(ranks == 1 .or. size(neighbours) >= 1, 'neighbours')
    call check(balancer%owner([1d0, 1d0]) < ranks, 'an owner')
    call balancer%finish()
    call balancer%free()
  end subroutine

  subroutine ghosts_come()
    real(c_double), allocatable, target :: x(:, :), sums(:)
    integer(c_int64_t), allocatable, target :: id(:)
    integer(c_int64_t) :: count, all, i
    type(ek_balancer) :: balancer
    type(ek_set) :: set
    type(ek_halo) :: halo
    type(ek_directory) :: directory
    integer(c_int), allocatable :: where(:)
    integer(c_int64_t), allocatable :: places(:)
    count = 300
    allocate (x(3, count), id(count))
    call random_number(x)
    id = [(1000 * rank + i, i = 1, count)]
    call balancer%create(MPI_COMM_WORLD, 'log = off; box = 0,0,0,1,1,1')
    call set%position(x)
    call set%grow(x)
    call set%grow(id)
    call balancer%rebalance(set, count)
    call check(.not. halo%is_current(), 'no halo yet')
    call halo%create(balancer, set, count, 0.2d0, straight=.true.)
    call check(halo%is_current(), 'the halo is current')
    call halo%make_room(set, count)
    call halo%exchange(set, count)
    all = count + halo%ghosts()
    call check(size(x, 2) >= all, 'there is room')
    call directory%create(MPI_COMM_WORLD, id, count)
    allocate (where(all), places(all))
    call directory%look_up(id(:all), where, places)
    call check(any(where(count + 1:) /= rank) .or. ranks == 1, 'ghosts are of other ranks')
    do i = 1, count
      call check(where(i) == rank .and. places(i) == i, 'own objects are here')
    end do
    do i = count + 1, all
      call check(balancer%owner(x(:, i)) == where(i), 'ghosts have their places')
    end do
    call ek_local_indices(id(:all), id(all:all), places(1:1))
    call check(places(1) == all, 'a local index')
    allocate (sums(all))
    sums = 1
    call halo%sum_back(sums)
    call check(sum_of(int(sum(sums(:count)), c_int64_t)) == sum_of(all), 'sums count copies')
    call halo%free()
    call directory%free()
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
    integer(c_int64_t) :: offsets(13), columns(24), all, vertex, cuts(4)
    integer(c_int) :: parts(12)
    type(ek_graph) :: graph
    type(ek_cut_report) :: report
    type(ek_graph_balancer) :: balancer
    integer :: v, p, stat
    character(400) :: text
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
    call graph%describe(offsets, columns)
    call ek_cut_graph(MPI_COMM_WORLD, graph, parts, 3, 'graph fast 1.05', report=report)
    call check(report%cut_edges == 3, 'a ring is cut three times')
    call ek_cut_nets(MPI_COMM_WORLD, 12_c_int64_t, graph, parts, 3, report=report)
    call check(report%cut >= 3, 'nets are cut')
    call ek_cut_graph(MPI_COMM_WORLD, graph, parts, 3, 'voronoi', stat=stat, errmsg=text)
    call check(stat == ek_bad_input .and. index(text, 'voronoi') > 0, 'a wrong method')
    call ek_cut_chain([1d0, 2d0, 3d0, 1d0, 1d0, 4d0], 3, cuts, lambda=lambda)
    call check(all_equal(cuts, [0, 2, 5, 6]) .and. lambda == 1.25d0, 'a chain')
    call balancer%create(MPI_COMM_WORLD, 'log = off; method = graph fast 1.5')
    call balancer%propose(graph, parts, report=report)
    call check(report%parts == ranks .and. all_between(parts, 0, ranks - 1), 'ranks of vertices')
    call balancer%drop()
    call balancer%finish()
    call balancer%free()
  end subroutine
  logical function all_equal(a, b)
    integer(c_int64_t), intent(in) :: a(:)
    integer, intent(in) :: b(:)
    all_equal = all(a == b)
  end function
  logical function all_between(a, least, most)
    integer, intent(in) :: a(:), least, most
    all_between = all(a >= least .and. a <= most)
  end function
end module

program fortran_test
  use fortran_test_tools
  implicit none
  integer(c_int64_t) :: all
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call objects_move()
  call arrays_grow()
  call rows_move()
  call blocks_get_ranks()
  call boxes_get_ranks()
  call ghosts_come()
  call errors_come_back()
  call work_is_lent()
  call divisions_are_even()
  call ek_stop()
  all = sum_of(int(failures, c_int64_t))
  call MPI_Finalize()
  if (all > 0) error stop 1
end program
