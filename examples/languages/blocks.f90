! A code that owns blocks of cells and moves them itself. Blocks at the surface of a moving sphere
! are divided into eight, and merged behind it. mpirun -n 2 blocks_fortran
module blocks_of_cells
  use, intrinsic :: iso_c_binding
  use evenkeel
  use mpi_f08
  implicit none
  integer, parameter :: side = 4, roots = side**3, cells = 512, steps = 60

  ! Part 0 is the whole root, and 1 to 8 are its eighths. The id is 9 * root + part.
  type, bind(c) :: block
    integer(c_int64_t) :: id = 0
    real(c_double) :: cell(cells) = 0
  end type
  type(block), allocatable :: blocks(:)  ! of this rank

contains

  logical function is_at_surface(root, step)
    integer, intent(in) :: root, step
    real(c_double) :: x, y, z
    x = real(root / side**2, c_double) + 0.5d0 - real(side, c_double) * step / steps
    y = real(mod(root / side, side), c_double) - 1.5d0
    z = real(mod(root, side), c_double) - 1.5d0
    is_at_surface = x * x + y * y + z * z > 0.5d0 .and. x * x + y * y + z * z < 3.5d0
  end function

  ! New blocks begin on the rank of the old one. The first of eight replaces all when they merge.
  subroutine refine(step)
    integer, intent(in) :: step
    type(block), allocatable :: fresh(:)
    integer :: b, root, part, first, last, p
    allocate (fresh(0))
    do b = 1, size(blocks)
      root = int(blocks(b)%id / 9)
      part = int(mod(blocks(b)%id, 9_c_int64_t))
      first = 0
      last = 0
      if (is_at_surface(root, step)) then
        first = max(part, 1)
        last = merge(8, first, part == 0)
      else if (part > 1) then
        cycle
      end if
      do p = first, last
        fresh = [fresh, block(int(9 * root + p, c_int64_t), blocks(b)%cell)]
      end do
    end do
    call move_alloc(fresh, blocks)
  end subroutine

  ! An eighth was made from the root, and a root from its eighths.
  subroutine describe(balancer)
    type(ek_block_balancer), intent(in) :: balancer
    integer(c_int64_t) :: first_parent(size(blocks) + 1), parent(8 * size(blocks))
    real(c_double) :: bytes(size(blocks)), weight(size(blocks)), centre(3, size(blocks))
    integer :: b, d, root, part, p, place(3)
    bytes = storage_size(blocks) / 8
    first_parent(1) = 0
    do b = 1, size(blocks)
      root = int(blocks(b)%id / 9)
      part = int(mod(blocks(b)%id, 9_c_int64_t))
      place = [root / side**2, mod(root / side, side), mod(root, side)]
      weight(b) = merge(2, 1, part > 0)
      do d = 1, 3
        centre(d, b) = place(d) + 0.5d0
        if (part > 0) centre(d, b) = place(d) + merge(0.75d0, 0.25d0, btest(part - 1, d - 1))
      end do
      first_parent(b + 1) = first_parent(b) + merge(1, 8, part > 0)
      do p = 1, merge(1, 8, part > 0)
        parent(first_parent(b) + p) = 9 * root + merge(0, p, part > 0)
      end do
    end do
    call balancer%describe(blocks%id, bytes, weight, centre=centre, first_parent=first_parent, &
                           parent=parent)
  end subroutine

  subroutine advance(of)
    type(block), intent(inout) :: of
    integer :: s
    do s = 1, merge(40, 20, mod(of%id, 9_c_int64_t) > 0)
      of%cell = of%cell + 1 / (1 + of%cell)
    end do
  end subroutine

  ! Both ranks have the blocks between them in the same order.
  subroutine move(wanted)
    type(ek_block_proposal), intent(in) :: wanted
    type(block), asynchronous, allocatable :: arriving(:)
    type(MPI_Request) :: requests(size(wanted%arriving))
    integer :: a, b, l, bytes
    allocate (arriving(size(wanted%arriving)))
    bytes = storage_size(arriving) / 8
    do a = 1, size(arriving)
      call MPI_Irecv(arriving(a), bytes, MPI_BYTE, wanted%arriving(a)%from, 0, MPI_COMM_WORLD, &
                     requests(a))
    end do
    do l = 1, size(wanted%leaving)
      b = findloc(blocks%id, wanted%leaving(l)%id, 1)
      call MPI_Send(blocks(b), bytes, MPI_BYTE, wanted%leaving(l)%to, 0, MPI_COMM_WORLD)
      blocks(b) = blocks(size(blocks))
      blocks = blocks(:size(blocks) - 1)
    end do
    call MPI_Waitall(size(requests), requests, MPI_STATUSES_IGNORE)
    blocks = [blocks, arriving]
  end subroutine
end module

program main
  use blocks_of_cells
  implicit none
  type(ek_block_balancer) :: balancer
  type(ek_block_proposal) :: proposal
  integer(c_int64_t) :: checksum
  integer :: rank, step, b, c
  logical :: wanted, refines
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  allocate (blocks(merge(roots, 0, rank == 0)))
  blocks%id = [(9_c_int64_t * (b - 1), b = 1, size(blocks))]

  call balancer%create(MPI_COMM_WORLD, 'price_of_moving = 1')
  call describe(balancer)
  do step = 1, steps
    do b = 1, size(blocks)
      call balancer%begin(blocks(b)%id)
      call advance(blocks(b))
      call balancer%end(blocks(b)%id)
    end do
    refines = mod(step, 5) == 0
    if (refines) then
      call refine(step)
      call describe(balancer)
    end if
    call balancer%step(wanted, proposal, changed=refines)  ! collective
    if (wanted) then
      call move(proposal)
      call balancer%accept()
    end if
  end do
  call balancer%finish()

  checksum = 0  ! the sum of the bits of all cells
  do b = 1, size(blocks)
    do c = 1, cells
      checksum = checksum + transfer(blocks(b)%cell(c), checksum)
    end do
  end do
  call MPI_Allreduce(MPI_IN_PLACE, checksum, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(a,i0,a,z16.16)', 'rank 0 has ', size(blocks), ' blocks, checksum ', &
                       checksum
  call balancer%free()
  call ek_stop()
  call MPI_Finalize()
end program
