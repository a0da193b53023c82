! evenkeel for Fortran: link evenkeel::fortran. docs/fortran.md has whole programs.
!
! An array of a set has one entry per object in its last dimension, and room for as many objects as
! it has entries there. Values move in place: if a rank needs more room, the call fails and nothing
! has changed. Every procedure has stat and errmsg; without stat, an error ends the program.
module evenkeel
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only : error_unit
  use mpi_f08, only : MPI_Comm
  implicit none
  private

  public :: ek_balancer, ek_monitor, ek_kernel, ek_set, ek_loan, ek_batch, ek_batch_work, ek_move
  public :: ek_assign, ek_partition, ek_cut_graph, ek_stop
  public :: ek_success, ek_bad_input, ek_out_of_memory, ek_communication, ek_disagreement, &
            ek_application, ek_internal

  integer, parameter :: ek_success = 0, ek_bad_input = 1, ek_out_of_memory = 2, &
                        ek_communication = 3, ek_disagreement = 4, ek_application = 5, &
                        ek_internal = 6
  integer, parameter :: most_fields = 32

  ! --- The structures of C ------------------------------------------------------------------------

  type, bind(c) :: c_field
    integer(c_size_t) :: size = 0
    type(c_ptr) :: data = c_null_ptr
    integer(c_int) :: type = 0, element_bytes = 0, components = 0, memory = 0
    integer(c_int64_t) :: count = 0, capacity = 0, object_stride = 0, component_stride = 0
    type(c_ptr) :: name = c_null_ptr, owner = c_null_ptr
    type(c_funptr) :: allocate = c_null_funptr, replace = c_null_funptr, release = c_null_funptr
  end type

  type, bind(c) :: c_set
    integer(c_size_t) :: size = 0
    type(c_ptr) :: position = c_null_ptr, carried = c_null_ptr
    integer(c_int) :: carried_count = 0
    type(c_ptr) :: count = c_null_ptr
    type(c_ptr) :: weight = c_null_ptr, type = c_null_ptr, key = c_null_ptr, group = c_null_ptr, &
                   pinned = c_null_ptr, bytes = c_null_ptr
    integer(c_int64_t) :: bytes_per_object = 0
    real(c_double) :: reserve = 0
  end type

  ! The result of a call that may move objects.
  type, bind(c) :: ek_move
    integer(c_size_t) :: size = 0
    integer(c_int) :: moved = 0
    integer(c_int64_t) :: objects = 0, bytes = 0
    real(c_double) :: lambda = 1
  end type

  type, bind(c) :: c_batch
    integer(c_int64_t) :: count
    type(c_ptr) :: objects, fields
    integer(c_int) :: field_count
    type(c_ptr) :: cost
    integer(c_int) :: owner, is_borrowed
  end type

  type, bind(c) :: c_loan_call
    integer(c_size_t) :: size = 0
    integer(c_int64_t) :: count = 0
    type(c_ptr) :: kept = c_null_ptr, inputs = c_null_ptr, results = c_null_ptr
    integer(c_int) :: kept_count = 0, input_count = 0, result_count = 0
    type(c_ptr) :: weight = c_null_ptr, cost = c_null_ptr
  end type

  type, bind(c) :: c_assign_options
    integer(c_size_t) :: size = 0
    integer(c_int) :: ranks = 1
    type(c_ptr) :: from = c_null_ptr, bytes = c_null_ptr, coordinates = c_null_ptr
    integer(c_int) :: dimensions = 0
    type(c_ptr) :: edges = c_null_ptr
    integer(c_int64_t) :: edge_count = 0, most_blocks = 0
    type(c_ptr) :: memory = c_null_ptr, speeds = c_null_ptr
    real(c_double) :: target = 0
  end type

  type, bind(c) :: c_graph_options
    integer(c_size_t) :: size = 0
    integer(c_int) :: parts = 0
    type(c_ptr) :: weights = c_null_ptr
    integer(c_int) :: weight_count = 0
    type(c_ptr) :: edge_weights = c_null_ptr, from = c_null_ptr, speeds = c_null_ptr, &
                   position = c_null_ptr
    integer(c_int) :: dimensions = 0
    real(c_double) :: target = 0
  end type

  ! --- Types --------------------------------------------------------------------------------------

  ! A timed region: call kernel%begin(), work, call kernel%end().
  type :: ek_kernel
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: begin => kernel_begin
    procedure :: end => kernel_end
  end type

  ! The arrays of objects that move together. Make a new one if the arrays are reallocated.
  type :: ek_set
    private
    type(c_field) :: fields(most_fields)
    type(c_ptr) :: carried(most_fields) = c_null_ptr
    type(c_field) :: weight_field, key_field
    integer :: used = 0
    logical :: has_weight = .false., has_key = .false.
  contains
    procedure :: position => set_position  ! first: two or three real numbers per object
    procedure :: carry => set_carry
    procedure :: weight => set_weight
    procedure :: key => set_key
  end type

  type :: ek_monitor
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: monitor_create_f08, monitor_create_integer
    generic :: create => monitor_create_f08, monitor_create_integer
    procedure :: kernel => monitor_kernel
    procedure :: step => monitor_step
    procedure :: rebalanced => monitor_rebalanced
    procedure :: loan => monitor_loan
    procedure :: finish => monitor_finish
    procedure :: free => monitor_free
  end type

  type :: ek_balancer
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: balancer_create_f08, balancer_create_integer
    generic :: create => balancer_create_f08, balancer_create_integer
    procedure :: kernel => balancer_kernel
    procedure :: step => balancer_step
    procedure :: rebalance => balancer_rebalance
    procedure :: migrate => balancer_migrate
    procedure :: owner => balancer_owner
    procedure :: loan => balancer_loan
    procedure :: finish => balancer_finish
    procedure :: free => balancer_free
  end type

  ! Some objects for one call of a loan's kernel. Object i is entry place(i) of each array.
  type :: ek_batch
    integer(c_int64_t) :: count = 0
    integer :: owner = 0
    logical :: is_borrowed = .false.
    integer :: status = 0  ! set it to another number if the work fails: an error on all ranks
    integer(c_int64_t), pointer :: objects(:) => null()  ! counted from 0; null for all in order
    real(c_double), pointer :: cost(:) => null()         ! cost(place(i)) may be written
    type(c_field), pointer, private :: fields(:) => null()
  contains
    procedure :: place => batch_place
    procedure, private :: get_real64, get_real32, get_int32, get_int64
    generic :: get => get_real64, get_real32, get_int32, get_int64
  end type

  abstract interface
    subroutine ek_batch_work(batch)
      import :: ek_batch
      type(ek_batch), intent(inout) :: batch
    end subroutine
  end interface

  type :: work_holder
    procedure(ek_batch_work), pointer, nopass :: work => null()
  end type

  ! Balances one kernel without moving the mesh.
  type :: ek_loan
    private
    type(c_ptr) :: handle = c_null_ptr
    type(c_field) :: fields(most_fields)
    type(c_ptr) :: kept(most_fields) = c_null_ptr, inputs(most_fields) = c_null_ptr, &
                   results(most_fields) = c_null_ptr
    type(c_field) :: weight_field
    integer :: used = 0, kept_count = 0, input_count = 0, result_count = 0
    logical :: has_weight = .false.
  contains
    procedure :: keep => loan_keep      ! arrays that are read and written in place
    procedure :: input => loan_input    ! arrays that are only read
    procedure :: result => loan_result  ! arrays that are only written
    procedure :: weight => loan_weight
    procedure :: run => loan_run        ! with the arrays that were given since the last run
    procedure :: free => loan_free
  end type

  ! --- The functions of C -------------------------------------------------------------------------

  interface
    subroutine c_fortran_field(array, count, field) bind(c, name='ek_fortran_field')
      import :: c_int64_t, c_field
      type(*), intent(in), target :: array(..)
      integer(c_int64_t), value :: count
      type(c_field), intent(out) :: field
    end subroutine
    function c_message() bind(c, name='ek_message') result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
    function c_strlen(text) bind(c, name='strlen') result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
    function c_stop() bind(c, name='ek_stop') result(status)
      import :: c_int
      integer(c_int) :: status
    end function
    function c_kernel_begin(kernel) bind(c, name='ek_kernel_begin') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: kernel
      integer(c_int) :: status
    end function
    function c_kernel_end(kernel) bind(c, name='ek_kernel_end') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: kernel
      integer(c_int) :: status
    end function
    function c_monitor_create(comm, options, monitor) bind(c, name='ek_monitor_create') &
        result(status)
      import :: c_int, c_ptr, c_char
      integer(c_int), value :: comm
      character(kind=c_char), intent(in) :: options(*)
      type(c_ptr), intent(out) :: monitor
      integer(c_int) :: status
    end function
    subroutine c_monitor_free(monitor) bind(c, name='ek_monitor_free')
      import :: c_ptr
      type(c_ptr), value :: monitor
    end subroutine
    function c_monitor_kernel(monitor, name, phase, kernel) bind(c, name='ek_monitor_kernel') &
        result(status)
      import :: c_int, c_ptr, c_char
      type(c_ptr), value :: monitor
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: phase
      type(c_ptr), intent(out) :: kernel
      integer(c_int) :: status
    end function
    function c_monitor_step(monitor, objects, may_move, advice) bind(c, name='ek_monitor_step') &
        result(status)
      import :: c_int, c_ptr, c_int64_t
      type(c_ptr), value :: monitor
      integer(c_int64_t), value :: objects
      integer(c_int), value :: may_move
      integer(c_int), intent(out) :: advice
      integer(c_int) :: status
    end function
    function c_monitor_rebalanced(monitor) bind(c, name='ek_monitor_rebalanced') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: monitor
      integer(c_int) :: status
    end function
    function c_monitor_finish(monitor) bind(c, name='ek_monitor_finish') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: monitor
      integer(c_int) :: status
    end function
    function c_monitor_loan(monitor, name, loan) bind(c, name='ek_monitor_loan') result(status)
      import :: c_int, c_ptr, c_char
      type(c_ptr), value :: monitor
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(out) :: loan
      integer(c_int) :: status
    end function
    function c_balancer_create(comm, options, balancer) bind(c, name='ek_balancer_create') &
        result(status)
      import :: c_int, c_ptr, c_char
      integer(c_int), value :: comm
      character(kind=c_char), intent(in) :: options(*)
      type(c_ptr), intent(out) :: balancer
      integer(c_int) :: status
    end function
    subroutine c_balancer_free(balancer) bind(c, name='ek_balancer_free')
      import :: c_ptr
      type(c_ptr), value :: balancer
    end subroutine
    function c_balancer_kernel(balancer, name, phase, kernel) bind(c, name='ek_balancer_kernel') &
        result(status)
      import :: c_int, c_ptr, c_char
      type(c_ptr), value :: balancer
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: phase
      type(c_ptr), intent(out) :: kernel
      integer(c_int) :: status
    end function
    function c_balancer_step(balancer, sets, set_count, may_move, changed, move) &
        bind(c, name='ek_balancer_step') result(status)
      import :: c_int, c_ptr, c_set, ek_move
      type(c_ptr), value :: balancer
      type(c_set), intent(in) :: sets
      integer(c_int), value :: set_count, may_move, changed
      type(ek_move), intent(inout) :: move
      integer(c_int) :: status
    end function
    function c_balancer_rebalance(balancer, sets, set_count, move) &
        bind(c, name='ek_balancer_rebalance') result(status)
      import :: c_int, c_ptr, c_set, ek_move
      type(c_ptr), value :: balancer
      type(c_set), intent(in) :: sets
      integer(c_int), value :: set_count
      type(ek_move), intent(inout) :: move
      integer(c_int) :: status
    end function
    function c_balancer_migrate(balancer, sets, set_count, move) &
        bind(c, name='ek_balancer_migrate') result(status)
      import :: c_int, c_ptr, c_set, ek_move
      type(c_ptr), value :: balancer
      type(c_set), intent(in) :: sets
      integer(c_int), value :: set_count
      type(ek_move), intent(inout) :: move
      integer(c_int) :: status
    end function
    function c_balancer_owner(balancer, point, dimensions, rank) &
        bind(c, name='ek_balancer_owner') result(status)
      import :: c_int, c_ptr, c_double
      type(c_ptr), value :: balancer
      real(c_double), intent(in) :: point(*)
      integer(c_int), value :: dimensions
      integer(c_int), intent(out) :: rank
      integer(c_int) :: status
    end function
    function c_balancer_finish(balancer) bind(c, name='ek_balancer_finish') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: balancer
      integer(c_int) :: status
    end function
    function c_balancer_loan(balancer, name, loan) bind(c, name='ek_balancer_loan') result(status)
      import :: c_int, c_ptr, c_char
      type(c_ptr), value :: balancer
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(out) :: loan
      integer(c_int) :: status
    end function
    subroutine c_loan_free(loan) bind(c, name='ek_loan_free')
      import :: c_ptr
      type(c_ptr), value :: loan
    end subroutine
    function c_loan_run(loan, call, kernel, user, lent) bind(c, name='ek_loan_run') result(status)
      import :: c_int, c_ptr, c_funptr, c_loan_call
      type(c_ptr), value :: loan
      type(c_loan_call), intent(in) :: call
      type(c_funptr), value :: kernel
      type(c_ptr), value :: user
      integer(c_int), intent(out) :: lent
      integer(c_int) :: status
    end function
    function c_assign(costs, blocks, options, map, lambda, bound) bind(c, name='ek_assign') &
        result(status)
      import :: c_int, c_int64_t, c_double, c_assign_options
      real(c_double), intent(in) :: costs(*)
      integer(c_int64_t), value :: blocks
      type(c_assign_options), intent(in) :: options
      integer(c_int), intent(out) :: map(*)
      real(c_double), intent(out) :: lambda, bound
      integer(c_int) :: status
    end function
    function c_partition(comm, points, dimensions, count, weights, method, parts, part) &
        bind(c, name='ek_partition') result(status)
      import :: c_int, c_int64_t, c_double, c_ptr, c_char
      integer(c_int), value :: comm
      real(c_double), intent(in) :: points(*)
      integer(c_int), value :: dimensions
      integer(c_int64_t), value :: count
      type(c_ptr), value :: weights
      character(kind=c_char), intent(in) :: method(*)
      integer(c_int), value :: parts
      integer(c_int), intent(out) :: part(*)
      integer(c_int) :: status
    end function
    function c_cut_graph(comm, vertices, offsets, columns, options, parts, cut_edges) &
        bind(c, name='ek_cut_graph') result(status)
      import :: c_int, c_int64_t, c_graph_options
      integer(c_int), value :: comm
      integer(c_int64_t), value :: vertices
      integer(c_int64_t), intent(in) :: offsets(*), columns(*)
      type(c_graph_options), intent(in) :: options
      integer(c_int), intent(out) :: parts(*)
      integer(c_int64_t), intent(out) :: cut_edges
      integer(c_int) :: status
    end function
  end interface

contains

  ! --- Errors and texts ---------------------------------------------------------------------------

  function message() result(text)
    character(:), allocatable :: text
    type(c_ptr) :: address
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    address = c_message()
    call c_f_pointer(address, letters, [c_strlen(address)])
    allocate (character(size(letters)) :: text)
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function

  subroutine tell(status, stat, errmsg)
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (present(stat)) stat = status
    if (status == ek_success) return
    if (present(errmsg)) errmsg = message()
    if (present(stat)) return
    write (error_unit, '(a)') message()
    error stop 1
  end subroutine

  pure function c_text(text) result(letters)
    character(*), intent(in) :: text
    character(kind=c_char) :: letters(len_trim(text) + 1)
    integer :: i
    do i = 1, len_trim(text)
      letters(i) = text(i:i)
    end do
    letters(len_trim(text) + 1) = c_null_char
  end function

  subroutine ek_stop(stat, errmsg)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call tell(c_stop(), stat, errmsg)
  end subroutine

  ! --- Kernels ------------------------------------------------------------------------------------

  subroutine kernel_begin(self, stat, errmsg)
    class(ek_kernel), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call tell(c_kernel_begin(self%handle), stat, errmsg)
  end subroutine
  subroutine kernel_end(self, stat, errmsg)
    class(ek_kernel), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call tell(c_kernel_end(self%handle), stat, errmsg)
  end subroutine

  ! --- Sets ---------------------------------------------------------------------------------------

  subroutine set_position(self, array)
    class(ek_set), intent(inout) :: self
    type(*), intent(in), target, contiguous :: array(..)
    self%used = 0
    self%has_weight = .false.
    self%has_key = .false.
    call set_carry(self, array)
  end subroutine
  subroutine set_carry(self, array)
    class(ek_set), intent(inout) :: self
    type(*), intent(in), target, contiguous :: array(..)
    if (self%used == most_fields) then
      write (error_unit, '(a,i0,a)') 'evenkeel: a set has more than ', most_fields, ' arrays.'
      error stop 1
    end if
    self%used = self%used + 1
    call c_fortran_field(array, -1_c_int64_t, self%fields(self%used))
  end subroutine
  subroutine set_weight(self, array)
    class(ek_set), intent(inout) :: self
    type(*), intent(in), target, contiguous :: array(..)
    call c_fortran_field(array, -1_c_int64_t, self%weight_field)
    self%has_weight = .true.
  end subroutine
  subroutine set_key(self, array)
    class(ek_set), intent(inout) :: self
    type(*), intent(in), target, contiguous :: array(..)
    call c_fortran_field(array, -1_c_int64_t, self%key_field)
    self%has_key = .true.
  end subroutine

  function as_c_set(self, count) result(set)
    class(ek_set), intent(inout), target :: self
    integer(c_int64_t), intent(in), target :: count
    type(c_set) :: set
    integer :: f
    set%size = c_sizeof(set)
    if (self%used > 0) set%position = c_loc(self%fields(1))
    do f = 2, self%used
      self%carried(f - 1) = c_loc(self%fields(f))
    end do
    set%carried = c_loc(self%carried)
    set%carried_count = max(self%used - 1, 0)
    set%count = c_loc(count)
    if (self%has_weight) set%weight = c_loc(self%weight_field)
    if (self%has_key) set%key = c_loc(self%key_field)
  end function

  ! --- Monitor ------------------------------------------------------------------------------------

  subroutine monitor_create_integer(self, comm, options, stat, errmsg)
    class(ek_monitor), intent(out) :: self
    integer, intent(in) :: comm
    character(*), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (present(options)) then
      call tell(c_monitor_create(comm, c_text(options), self%handle), stat, errmsg)
    else
      call tell(c_monitor_create(comm, c_text(''), self%handle), stat, errmsg)
    end if
  end subroutine
  subroutine monitor_create_f08(self, comm, options, stat, errmsg)
    class(ek_monitor), intent(out) :: self
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call monitor_create_integer(self, comm%mpi_val, options, stat, errmsg)
  end subroutine
  subroutine monitor_free(self)
    class(ek_monitor), intent(inout) :: self
    call c_monitor_free(self%handle)
    self%handle = c_null_ptr
  end subroutine
  function monitor_kernel(self, name, phase) result(kernel)
    class(ek_monitor), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(in), optional :: phase
    type(ek_kernel) :: kernel
    integer(c_int) :: number
    number = 0
    if (present(phase)) number = phase
    call tell(c_monitor_kernel(self%handle, c_text(name), number, kernel%handle))
  end function
  ! Ends a step. `advice` is true if the program should rebalance now.
  subroutine monitor_step(self, advice, objects, may_move, stat, errmsg)
    class(ek_monitor), intent(in) :: self
    logical, intent(out), optional :: advice
    integer(c_int64_t), intent(in), optional :: objects
    logical, intent(in), optional :: may_move
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: number
    integer(c_int) :: may, given
    number = 0
    if (present(objects)) number = objects
    may = 1
    if (present(may_move)) may = merge(1_c_int, 0_c_int, may_move)
    given = 0
    call tell(c_monitor_step(self%handle, number, may, given), stat, errmsg)
    if (present(advice)) advice = given /= 0
  end subroutine
  subroutine monitor_rebalanced(self, stat, errmsg)
    class(ek_monitor), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call tell(c_monitor_rebalanced(self%handle), stat, errmsg)
  end subroutine
  subroutine monitor_loan(self, name, loan, stat, errmsg)
    class(ek_monitor), intent(in) :: self
    character(*), intent(in) :: name
    type(ek_loan), intent(out) :: loan
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call tell(c_monitor_loan(self%handle, c_text(name), loan%handle), stat, errmsg)
  end subroutine
  subroutine monitor_finish(self, stat, errmsg)
    class(ek_monitor), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call tell(c_monitor_finish(self%handle), stat, errmsg)
  end subroutine

  ! --- Balancer -----------------------------------------------------------------------------------

  subroutine balancer_create_integer(self, comm, options, stat, errmsg)
    class(ek_balancer), intent(out) :: self
    integer, intent(in) :: comm
    character(*), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (present(options)) then
      call tell(c_balancer_create(comm, c_text(options), self%handle), stat, errmsg)
    else
      call tell(c_balancer_create(comm, c_text(''), self%handle), stat, errmsg)
    end if
  end subroutine
  subroutine balancer_create_f08(self, comm, options, stat, errmsg)
    class(ek_balancer), intent(out) :: self
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call balancer_create_integer(self, comm%mpi_val, options, stat, errmsg)
  end subroutine
  subroutine balancer_free(self)
    class(ek_balancer), intent(inout) :: self
    call c_balancer_free(self%handle)
    self%handle = c_null_ptr
  end subroutine
  function balancer_kernel(self, name, phase) result(kernel)
    class(ek_balancer), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(in), optional :: phase
    type(ek_kernel) :: kernel
    integer(c_int) :: number
    number = 0
    if (present(phase)) number = phase
    call tell(c_balancer_kernel(self%handle, c_text(name), number, kernel%handle))
  end function
  ! Ends a step. If a rebalance pays, objects move, `count` is the new number of objects, and
  ! `moved` is true.
  subroutine balancer_step(self, set, count, moved, may_move, changed, stat, errmsg)
    class(ek_balancer), intent(in) :: self
    type(ek_set), intent(inout), target :: set
    integer(c_int64_t), intent(inout), target :: count
    logical, intent(out), optional :: moved
    logical, intent(in), optional :: may_move, changed
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(ek_move) :: move
    integer(c_int) :: may, new
    may = 1
    new = 0
    if (present(may_move)) may = merge(1_c_int, 0_c_int, may_move)
    if (present(changed)) new = merge(1_c_int, 0_c_int, changed)
    move%size = c_sizeof(move)
    call tell(c_balancer_step(self%handle, as_c_set(set, count), 1_c_int, may, new, move), &
              stat, errmsg)
    if (present(moved)) moved = move%moved /= 0
  end subroutine
  ! Balances now. The first call distributes the objects.
  subroutine balancer_rebalance(self, set, count, move, stat, errmsg)
    class(ek_balancer), intent(in) :: self
    type(ek_set), intent(inout), target :: set
    integer(c_int64_t), intent(inout), target :: count
    type(ek_move), intent(out), optional :: move
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(ek_move) :: told
    told%size = c_sizeof(told)
    call tell(c_balancer_rebalance(self%handle, as_c_set(set, count), 1_c_int, told), stat, errmsg)
    if (present(move)) move = told
  end subroutine
  ! Sends objects that have left the domain of their rank to the owner of their place.
  subroutine balancer_migrate(self, set, count, move, stat, errmsg)
    class(ek_balancer), intent(in) :: self
    type(ek_set), intent(inout), target :: set
    integer(c_int64_t), intent(inout), target :: count
    type(ek_move), intent(out), optional :: move
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(ek_move) :: told
    told%size = c_sizeof(told)
    call tell(c_balancer_migrate(self%handle, as_c_set(set, count), 1_c_int, told), stat, errmsg)
    if (present(move)) move = told
  end subroutine
  ! The rank that owns a point.
  function balancer_owner(self, point) result(rank)
    class(ek_balancer), intent(in) :: self
    real(c_double), intent(in) :: point(:)
    integer(c_int) :: rank
    call tell(c_balancer_owner(self%handle, point, size(point, kind=c_int), rank))
  end function
  subroutine balancer_loan(self, name, loan, stat, errmsg)
    class(ek_balancer), intent(in) :: self
    character(*), intent(in) :: name
    type(ek_loan), intent(out) :: loan
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call tell(c_balancer_loan(self%handle, c_text(name), loan%handle), stat, errmsg)
  end subroutine
  subroutine balancer_finish(self, stat, errmsg)
    class(ek_balancer), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call tell(c_balancer_finish(self%handle), stat, errmsg)
  end subroutine

  ! --- Loans --------------------------------------------------------------------------------------

  subroutine loan_add(self, array, list, count)
    class(ek_loan), intent(inout), target :: self
    type(*), intent(in), target, contiguous :: array(..)
    type(c_ptr), intent(inout) :: list(:)
    integer, intent(inout) :: count
    if (self%used == most_fields) then
      write (error_unit, '(a,i0,a)') 'evenkeel: a loan has more than ', most_fields, ' arrays.'
      error stop 1
    end if
    self%used = self%used + 1
    call c_fortran_field(array, -1_c_int64_t, self%fields(self%used))
    count = count + 1
    list(count) = c_loc(self%fields(self%used))
  end subroutine
  subroutine loan_keep(self, array)
    class(ek_loan), intent(inout), target :: self
    type(*), intent(in), target, contiguous :: array(..)
    call loan_add(self, array, self%kept, self%kept_count)
  end subroutine
  subroutine loan_input(self, array)
    class(ek_loan), intent(inout), target :: self
    type(*), intent(in), target, contiguous :: array(..)
    call loan_add(self, array, self%inputs, self%input_count)
  end subroutine
  subroutine loan_result(self, array)
    class(ek_loan), intent(inout), target :: self
    type(*), intent(in), target, contiguous :: array(..)
    call loan_add(self, array, self%results, self%result_count)
  end subroutine
  subroutine loan_weight(self, array)
    class(ek_loan), intent(inout), target :: self
    type(*), intent(in), target, contiguous :: array(..)
    call c_fortran_field(array, -1_c_int64_t, self%weight_field)
    self%has_weight = .true.
  end subroutine

  ! Works on `count` objects of each rank. `lent` is true if ranks have lent objects.
  subroutine loan_run(self, count, work, lent, stat, errmsg)
    class(ek_loan), intent(inout), target :: self
    integer(c_int64_t), intent(in) :: count
    procedure(ek_batch_work) :: work
    logical, intent(out), optional :: lent
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_loan_call) :: call
    type(work_holder), target :: holder
    integer(c_int) :: was_lent, status
    call%size = c_sizeof(call)
    call%count = count
    call%kept = c_loc(self%kept)
    call%inputs = c_loc(self%inputs)
    call%results = c_loc(self%results)
    call%kept_count = self%kept_count
    call%input_count = self%input_count
    call%result_count = self%result_count
    if (self%has_weight) call%weight = c_loc(self%weight_field)
    holder%work => work
    was_lent = 0
    status = c_loan_run(self%handle, call, c_funloc(work_on_batch), c_loc(holder), was_lent)
    self%used = 0
    self%kept_count = 0
    self%input_count = 0
    self%result_count = 0
    self%has_weight = .false.
    call tell(status, stat, errmsg)
    if (present(lent)) lent = was_lent /= 0
  end subroutine
  subroutine loan_free(self)
    class(ek_loan), intent(inout) :: self
    call c_loan_free(self%handle)
    self%handle = c_null_ptr
  end subroutine

  function work_on_batch(given, user) result(status) bind(c)
    type(c_batch), intent(in) :: given
    type(c_ptr), value :: user
    integer(c_int) :: status
    type(work_holder), pointer :: holder
    type(ek_batch) :: batch
    integer(c_int64_t) :: places
    call c_f_pointer(user, holder)
    batch%count = given%count
    batch%owner = given%owner
    batch%is_borrowed = given%is_borrowed /= 0
    call c_f_pointer(given%fields, batch%fields, [given%field_count])
    places = given%count
    if (c_associated(given%objects)) then
      call c_f_pointer(given%objects, batch%objects, [given%count])
      places = batch%fields(1)%count
    end if
    call c_f_pointer(given%cost, batch%cost, [places])
    call holder%work(batch)
    status = batch%status
  end function

  pure function batch_place(self, i) result(place)
    class(ek_batch), intent(in) :: self
    integer(c_int64_t), intent(in) :: i
    integer(c_int64_t) :: place
    place = i
    if (associated(self%objects)) place = self%objects(i) + 1
  end function

  ! Each of these points to the values of field `number`, counted from 1: values(c, place).
  subroutine get_real64(self, number, values)
    class(ek_batch), intent(in) :: self
    integer, intent(in) :: number
    real(c_double), pointer, intent(out) :: values(:, :)
    call require_bytes(self, number, storage_size(values) / 8)
    call c_f_pointer(self%fields(number)%data, values, shape_of(self%fields(number)))
  end subroutine
  subroutine get_real32(self, number, values)
    class(ek_batch), intent(in) :: self
    integer, intent(in) :: number
    real(c_float), pointer, intent(out) :: values(:, :)
    call require_bytes(self, number, storage_size(values) / 8)
    call c_f_pointer(self%fields(number)%data, values, shape_of(self%fields(number)))
  end subroutine
  subroutine get_int32(self, number, values)
    class(ek_batch), intent(in) :: self
    integer, intent(in) :: number
    integer(c_int32_t), pointer, intent(out) :: values(:, :)
    call require_bytes(self, number, storage_size(values) / 8)
    call c_f_pointer(self%fields(number)%data, values, shape_of(self%fields(number)))
  end subroutine
  subroutine get_int64(self, number, values)
    class(ek_batch), intent(in) :: self
    integer, intent(in) :: number
    integer(c_int64_t), pointer, intent(out) :: values(:, :)
    call require_bytes(self, number, storage_size(values) / 8)
    call c_f_pointer(self%fields(number)%data, values, shape_of(self%fields(number)))
  end subroutine
  subroutine require_bytes(self, number, bytes)
    class(ek_batch), intent(in) :: self
    integer, intent(in) :: number, bytes
    if (number >= 1 .and. number <= size(self%fields)) then
      if (self%fields(number)%element_bytes == bytes) return
    end if
    write (error_unit, '(a,i0,a)') 'evenkeel: a batch has no field ', number, ' of this type.'
    error stop 1
  end subroutine
  pure function shape_of(field) result(extents)
    type(c_field), intent(in) :: field
    integer(c_int64_t) :: extents(2)
    extents = [int(field%components, c_int64_t), field%capacity]
  end function

  ! --- Maps, graphs and points --------------------------------------------------------------------

  ! Writes the rank of each block, counted from 0.
  subroutine ek_assign(costs, ranks, map, coordinates, from, lambda, bound, stat, errmsg)
    real(c_double), intent(in) :: costs(:)
    integer, intent(in) :: ranks
    integer(c_int), intent(out) :: map(:)
    real(c_double), intent(in), optional, target, contiguous :: coordinates(:, :)
    integer(c_int), intent(in), optional, target, contiguous :: from(:)
    real(c_double), intent(out), optional :: lambda, bound
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_assign_options) :: options
    real(c_double) :: found, proven
    options%size = c_sizeof(options)
    options%ranks = ranks
    if (present(coordinates)) then
      options%coordinates = c_loc(coordinates)
      options%dimensions = size(coordinates, 1)
    end if
    if (present(from)) options%from = c_loc(from)
    call tell(c_assign(costs, size(costs, kind=c_int64_t), options, map, found, proven), &
              stat, errmsg)
    if (present(lambda)) lambda = found
    if (present(bound)) bound = proven
  end subroutine

  ! Writes the part of each point, counted from 0. points(:, i) is point i.
  subroutine ek_partition(comm, points, part, method, parts, weights, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    real(c_double), intent(in), contiguous :: points(:, :)
    integer(c_int), intent(out) :: part(:)
    character(*), intent(in), optional :: method
    integer, intent(in), optional :: parts
    real(c_double), intent(in), optional, target, contiguous :: weights(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: costs
    integer(c_int) :: number
    character(:), allocatable :: name
    costs = c_null_ptr
    if (present(weights)) costs = c_loc(weights)
    number = 0
    if (present(parts)) number = parts
    name = 'hilbert'
    if (present(method)) name = method
    call tell(c_partition(comm%mpi_val, points, size(points, 1, kind=c_int), &
                          size(points, 2, kind=c_int64_t), costs, c_text(name), number, part), &
              stat, errmsg)
  end subroutine

  ! Writes the part of each vertex, counted from 0. Offsets and columns count from 0, too.
  subroutine ek_cut_graph(comm, offsets, columns, part, parts, cut_edges, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    integer(c_int64_t), intent(in), contiguous :: offsets(:), columns(:)
    integer(c_int), intent(out) :: part(:)
    integer, intent(in), optional :: parts
    integer(c_int64_t), intent(out), optional :: cut_edges
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_graph_options) :: options
    integer(c_int64_t) :: cut
    options%size = c_sizeof(options)
    if (present(parts)) options%parts = parts
    call tell(c_cut_graph(comm%mpi_val, size(offsets, kind=c_int64_t) - 1, offsets, columns, &
                          options, part, cut), stat, errmsg)
    if (present(cut_edges)) cut_edges = cut
  end subroutine

end module evenkeel
