! evenkeel for Fortran: link evenkeel::fortran. docs/languages.md has whole programs.
!
! An array of a set has one entry per object in its last dimension. An allocatable array that is
! given to grow() gets as much room as it needs. Values of other arrays move in place: if a rank
! needs more room than they have, the call fails and nothing has changed. Ranks, parts, offsets and
! columns count from 0. Every procedure has stat and errmsg; without stat, an error ends the
! program.
module evenkeel
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only : error_unit
  use mpi_f08, only : MPI_Comm
  implicit none
  private

  public :: ek_monitor, ek_balancer, ek_block_balancer, ek_graph_balancer, ek_grid_balancer
  public :: ek_kernel, ek_set, ek_graph, ek_loan, ek_batch, ek_batch_work, ek_move, ek_hook
  public :: ek_block_move, ek_block_proposal, ek_cut_report, ek_cells, ek_halo, ek_directory
  public :: ek_assign, ek_partition, ek_cut_graph, ek_cut_nets, ek_cut_chain, ek_local_indices
  public :: ek_stop
  public :: ek_success, ek_bad_input, ek_out_of_memory, ek_communication, ek_disagreement, &
            ek_application, ek_internal

  integer, parameter :: ek_success = 0, ek_bad_input = 1, ek_out_of_memory = 2, &
                        ek_communication = 3, ek_disagreement = 4, ek_application = 5, &
                        ek_internal = 6
  integer, parameter :: most_fields = 32, most_rows = 8

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
    type(c_ptr) :: rows = c_null_ptr
    integer(c_int) :: row_count = 0
    type(c_ptr) :: graph = c_null_ptr
  end type

  type, bind(c) :: c_graph
    integer(c_size_t) :: size = 0
    ! offsets, columns, id, weight, bytes, position, fixed, edge_weight, uncuttable
    type(c_ptr) :: entries(9) = c_null_ptr
  end type

  ! The result of a call that may move objects.
  type, bind(c) :: ek_move
    integer(c_size_t) :: size = 0
    integer(c_int) :: moved = 0
    integer(c_int64_t) :: objects = 0, bytes = 0
    real(c_double) :: lambda = 1
  end type

  type, bind(c) :: c_blocks
    integer(c_size_t) :: size = 0
    integer(c_int64_t) :: count = 0
    ! id, bytes, weight, cells, centre, first_neighbour, neighbour, first_parent, parent
    type(c_ptr) :: lists(9) = c_null_ptr
  end type

  ! A block in a proposal. It stays where it is if both ranks are the same.
  type, bind(c) :: ek_block_move
    integer(c_int64_t) :: id = 0
    integer(c_int) :: from = 0, to = 0
    real(c_double) :: bytes = 0
  end type

  type, bind(c) :: c_block_proposal
    integer(c_int64_t) :: counts(3)
    type(c_ptr) :: lists(3)
    integer(c_int64_t) :: blocks_moved
    real(c_double) :: bytes_moved, lambda_before, lambda, bound
    type(c_ptr) :: reason
  end type

  ! The quality of a cut of a graph or of nets.
  type, bind(c) :: ek_cut_report
    integer(c_size_t) :: size = 0
    integer(c_int) :: parts = 0, empty = 0
    integer(c_int64_t) :: cut_edges = 0
    real(c_double) :: cut = 0, lambda = 1, bound = 1, moved = 0, moved_weight = 0
  end type

  type, bind(c) :: c_graph_proposal
    integer(c_int64_t) :: count
    type(c_ptr) :: parts
    type(ek_cut_report) :: report
  end type

  ! A range of cells, begin <= cell < end, counted from 0, and the rank of its other end.
  type, bind(c) :: ek_cells
    integer(c_int) :: rank = 0
    integer(c_int64_t) :: begin(3) = 0, end(3) = 0
  end type

  type, bind(c) :: c_cell_moves
    integer(c_int64_t) :: counts(3)
    type(c_ptr) :: lists(3)
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

  type, bind(c) :: c_cut_options
    integer(c_size_t) :: size = 0
    integer(c_int) :: parts = 0
    type(c_ptr) :: speeds = c_null_ptr, from = c_null_ptr, method = c_null_ptr
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

  ! An allocatable variable of the program, and new memory for it that a move has asked for.
  integer, parameter :: look = 0, reserve = 1, commit = 2, release = 3
  abstract interface
    subroutine resizing(what, variable, fresh, objects, values)
      import :: c_ptr, c_int64_t
      integer, intent(in) :: what
      type(c_ptr), intent(in) :: variable
      type(c_ptr), intent(inout) :: fresh
      integer(c_int64_t), intent(inout) :: objects
      type(c_ptr), intent(out) :: values
    end subroutine
  end interface
  type :: growth
    type(c_ptr) :: variable = c_null_ptr, fresh = c_null_ptr
    integer(c_int64_t) :: bytes_per_object = 1
    procedure(resizing), pointer, nopass :: resize => null()
  end type

  ! The arrays of objects that move together. Describe it again if arrays that do not grow are
  ! reallocated.
  type :: ek_set
    private
    type(c_field) :: fields(most_fields)
    type(growth) :: growths(most_fields)
    type(c_ptr) :: carried(most_fields) = c_null_ptr
    logical :: is_carried(most_fields) = .false.
    integer :: used = 0, weight_at = 0, key_at = 0, group_at = 0, pinned_at = 0
    integer :: rows_at(2, most_rows) = 0, row_count = 0, graph_at(9) = 0
    type(c_ptr) :: rows_of_c(2, most_rows) = c_null_ptr
    type(c_graph) :: graph_of_c
    real(c_double), public :: reserve = 0  ! arrays that grow have room for this many times count
  contains
    procedure :: position => set_position  ! first: two or three real numbers per object
    procedure :: carry => set_carry
    ! One number per object, in an array that was given before if it is to move with the objects.
    procedure :: weight => set_weight
    procedure :: key => set_key
    procedure :: group => set_group
    procedure :: pinned => set_pinned
    procedure :: rows => set_rows    ! any number of values per object; give both to grow, too
    procedure :: graph => set_graph  ! for method = graph
    ! Like carry, but evenkeel reallocates the array. Declare it as allocatable, target.
    include 'growing_names.inc'
  end type

  ! A graph in compressed rows; see GraphOptions in the C++ interface.
  type :: ek_graph
    private
    type(c_field) :: fields(9)
  contains
    procedure :: describe => graph_describe
  end type

  ! A Monitor or any balancer.
  type :: ek_facade
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: create_f08, create_integer
    generic :: create => create_f08, create_integer
    procedure :: kernel => facade_kernel
    procedure :: loan => facade_loan
    procedure :: note_cost => facade_note_cost
    procedure :: lambda => facade_lambda
    procedure :: state => facade_state
    procedure :: restore => facade_restore
    procedure :: owner => facade_owner  ! of a Balancer or GridBalancer
    procedure :: finish => facade_finish
    procedure :: free => facade_free
  end type

  type, extends(ek_facade) :: ek_monitor
  contains
    procedure :: step => monitor_step
    procedure :: rebalanced => monitor_rebalanced
  end type

  type, extends(ek_facade) :: ek_balancer
  contains
    procedure :: before_move => balancer_before_move
    procedure :: after_move => balancer_after_move
    procedure :: step => balancer_step
    procedure :: rebalance => balancer_rebalance
    procedure :: migrate => balancer_migrate
    procedure :: adopt => balancer_adopt
  end type

  ! A balancer whose program moves the data.
  type, extends(ek_facade) :: ek_proposer
  contains
    procedure :: accept => proposer_accept
    procedure :: drop => proposer_drop
  end type

  type, extends(ek_proposer) :: ek_block_balancer
  contains
    procedure :: describe => block_describe
    procedure :: begin => block_begin
    procedure :: end => block_end
    procedure :: add_cost => block_add_cost
    procedure :: step => block_step
    procedure :: propose => block_propose
    procedure :: accept_blocks => block_accept
  end type

  ! A proposal of an ek_block_balancer. The lists are valid until the next call with it.
  type :: ek_block_proposal
    type(ek_block_move), pointer :: map(:) => null()      ! all blocks, by id
    type(ek_block_move), pointer :: leaving(:) => null()  ! by receiver and then id
    type(ek_block_move), pointer :: arriving(:) => null() ! by sender and then id
    integer(c_int64_t) :: blocks_moved = 0                ! over all ranks
    real(c_double) :: bytes_moved = 0, lambda_before = 1, lambda = 1, bound = 1
    character(:), allocatable :: reason
  end type

  type, extends(ek_proposer) :: ek_graph_balancer
  contains
    procedure :: step => graph_step
    procedure :: propose => graph_propose
  end type

  type, extends(ek_proposer) :: ek_grid_balancer
  contains
    procedure :: step => grid_step
    procedure :: propose => grid_propose
    procedure :: cells => grid_cells
    procedure :: domain => grid_domain
    procedure :: neighbours => grid_neighbours
  end type

  ! Finds objects by their ids.
  type :: ek_directory
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => directory_create
    procedure :: update => directory_update
    procedure :: look_up => directory_look_up
    procedure :: free => directory_free
  end type

  ! The ghosts around the domain of this rank.
  type :: ek_halo
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => halo_create
    procedure :: around_ids => halo_around_ids
    procedure :: make_room => halo_make_room
    procedure :: exchange => halo_exchange
    procedure :: sum_back => halo_sum_back
    procedure :: ghosts => halo_ghosts
    procedure :: is_current => halo_is_current
    procedure :: free => halo_free
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

  abstract interface
    ! A call-back before or after a move. Set the status to another number than 0 if it fails.
    subroutine ek_hook(status)
      integer, intent(inout) :: status
    end subroutine
    subroutine ek_batch_work(batch)
      import :: ek_batch
      type(ek_batch), intent(inout) :: batch
    end subroutine
  end interface

  ! --- The functions of C -------------------------------------------------------------------------

  interface
    include 'interfaces.inc'
    integer(c_size_t) function c_strlen(text) bind(c, name='strlen')
      import
      type(c_ptr), value :: text
    end function
    subroutine c_fortran_field(array, count, field) bind(c, name='ek_fortran_field')
      import
      type(*), intent(in), target :: array(..)
      integer(c_int64_t), value :: count
      type(c_field), intent(out) :: field
    end subroutine
    subroutine c_fortran_address() bind(c, name='ek_fortran_address')
    end subroutine
  end interface

contains

  ! --- Errors and texts ---------------------------------------------------------------------------

  function text_at(address) result(text)
    type(c_ptr), intent(in) :: address
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    call c_f_pointer(address, letters, [c_strlen(address)])
    allocate (character(size(letters)) :: text)
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function

  subroutine tell(status, stat, errmsg)
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    if (present(stat)) stat = status
    if (status == ek_success) return
    if (present(errmsg)) errmsg = text_at(c_message())
    if (present(stat)) return
    write (error_unit, '(a)') text_at(c_message())
    error stop 1
  end subroutine

  ! The text for C; nothing if it is not present.
  function c_text(text) result(letters)
    character(*), intent(in), optional :: text
    character(:), allocatable :: letters
    letters = c_null_char
    if (present(text)) letters = trim(text) // c_null_char
  end function

  function as_int(choice, otherwise) result(number)
    logical, intent(in), optional :: choice
    logical, intent(in) :: otherwise
    integer(c_int) :: number
    logical :: is_true
    is_true = otherwise
    if (present(choice)) is_true = choice
    number = merge(1_c_int, 0_c_int, is_true)
  end function

  function or_zero(choice) result(number)
    integer, intent(in), optional :: choice
    integer(c_int) :: number
    number = 0
    if (present(choice)) number = choice
  end function

  subroutine ek_stop(stat, errmsg)
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call tell(c_stop(), stat, errmsg)
  end subroutine

  ! --- Kernels ------------------------------------------------------------------------------------

  subroutine kernel_begin(self, stat, errmsg)
    class(ek_kernel), intent(in) :: self
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call tell(c_kernel_begin(self%handle), stat, errmsg)
  end subroutine
  subroutine kernel_end(self, stat, errmsg)
    class(ek_kernel), intent(in) :: self
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call tell(c_kernel_end(self%handle), stat, errmsg)
  end subroutine

  ! --- Sets ---------------------------------------------------------------------------------------

  ! Adds an array, and returns its place among the fields.
  function added(self, array) result(place)
    class(ek_set), intent(inout) :: self
    type(*), intent(in), target, contiguous :: array(..)
    integer :: place
    if (self%used == most_fields) then
      write (error_unit, '(a,i0,a)') 'evenkeel: a set has more than ', most_fields, ' arrays.'
      error stop 1
    end if
    self%used = self%used + 1
    place = self%used
    call c_fortran_field(array, -1_c_int64_t, self%fields(place))
    self%growths(place)%resize => null()
    self%is_carried(place) = .false.
  end function
  ! The place of an array, which is added if it is new.
  function place_of(self, array) result(place)
    class(ek_set), intent(inout) :: self
    type(*), intent(in), target, contiguous :: array(..)
    integer :: place
    type(c_field) :: field
    call c_fortran_field(array, -1_c_int64_t, field)
    do place = self%used, 1, -1
      if (c_associated(self%fields(place)%data, field%data) .and. &
          self%fields(place)%type == field%type) return
    end do
    place = added(self, array)
  end function

  subroutine set_position(self, array)
    class(ek_set), intent(inout) :: self
    type(*), intent(in), target, contiguous :: array(..)
    integer :: place
    self%used = 0
    self%weight_at = 0
    self%key_at = 0
    self%group_at = 0
    self%pinned_at = 0
    self%row_count = 0
    self%graph_at = 0
    place = added(self, array)
  end subroutine
  subroutine set_carry(self, array)
    class(ek_set), intent(inout) :: self
    type(*), intent(in), target, contiguous :: array(..)
    self%is_carried(added(self, array)) = .true.
  end subroutine
  subroutine set_weight(self, array)
    class(ek_set), intent(inout) :: self
    type(*), intent(in), target, contiguous :: array(..)
    self%weight_at = place_of(self, array)
  end subroutine
  subroutine set_key(self, array)
    class(ek_set), intent(inout) :: self
    type(*), intent(in), target, contiguous :: array(..)
    self%key_at = place_of(self, array)
  end subroutine
  subroutine set_group(self, array)
    class(ek_set), intent(inout) :: self
    type(*), intent(in), target, contiguous :: array(..)
    self%group_at = place_of(self, array)
  end subroutine
  subroutine set_pinned(self, array)
    class(ek_set), intent(inout) :: self
    type(*), intent(in), target, contiguous :: array(..)
    self%pinned_at = place_of(self, array)
  end subroutine
  ! Object i has values(offsets(i) + 1 : offsets(i + 1)), where offsets begin with 0.
  subroutine set_rows(self, offsets, values)
    class(ek_set), intent(inout) :: self
    type(*), intent(in), target, contiguous :: offsets(..), values(..)
    if (self%row_count == most_rows) then
      write (error_unit, '(a,i0,a)') 'evenkeel: a set has more than ', most_rows, ' rows.'
      error stop 1
    end if
    self%row_count = self%row_count + 1
    self%rows_at(:, self%row_count) = [place_of(self, offsets), place_of(self, values)]
    self%is_carried(self%rows_at(:, self%row_count)) = .false.
  end subroutine
  ! As in graph%describe. Arrays that move with the objects were given before.
  subroutine set_graph(self, offsets, columns, id, weight, bytes, position, fixed, edge_weight, &
                       uncuttable)
    class(ek_set), intent(inout) :: self
    type(*), intent(in), target, contiguous :: offsets(..), columns(..)
    type(*), intent(in), target, contiguous, optional :: &
        id(..), weight(..), bytes(..), position(..), fixed(..), edge_weight(..), uncuttable(..)
    self%graph_at(1:2) = [place_of(self, offsets), place_of(self, columns)]
    if (present(id)) self%graph_at(3) = place_of(self, id)
    if (present(weight)) self%graph_at(4) = place_of(self, weight)
    if (present(bytes)) self%graph_at(5) = place_of(self, bytes)
    if (present(position)) self%graph_at(6) = place_of(self, position)
    if (present(fixed)) self%graph_at(7) = place_of(self, fixed)
    if (present(edge_weight)) self%graph_at(8) = place_of(self, edge_weight)
    if (present(uncuttable)) self%graph_at(9) = place_of(self, uncuttable)
  end subroutine
  subroutine set_growing(self, array, variable, resize)
    class(ek_set), intent(inout) :: self
    type(*), intent(in), target, contiguous :: array(..)
    type(c_ptr), intent(in) :: variable
    procedure(resizing) :: resize
    integer :: place, before
    before = self%used
    place = place_of(self, array)
    if (before > 0 .and. place > before) self%is_carried(place) = .true.
    associate (field => self%fields(place))
      self%growths(place) = growth(variable, c_null_ptr, &
                                   int(field%element_bytes, c_int64_t) * field%components, resize)
      field%allocate = c_funloc(allocate_room)
      field%replace = c_funloc(replace_room)
      field%release = c_funloc(release_room)
    end associate
  end subroutine

  function as_c_set(self, count) result(set)
    class(ek_set), intent(inout), target :: self
    integer(c_int64_t), intent(in), target, optional :: count
    type(c_set) :: set
    integer :: f
    set%size = c_sizeof(set)
    do f = 1, self%used
      associate (field => self%fields(f), growing => self%growths(f))
        if (associated(growing%resize)) then
          call growing%resize(look, growing%variable, growing%fresh, field%count, field%data)
          field%capacity = field%count
          field%owner = c_loc(growing)
        end if
      end associate
      if (f == 1) set%position = c_loc(self%fields(1))
      if (.not. self%is_carried(f)) cycle
      set%carried_count = set%carried_count + 1
      self%carried(set%carried_count) = c_loc(self%fields(f))
    end do
    set%carried = c_loc(self%carried)
    if (present(count)) set%count = c_loc(count)
    if (self%weight_at > 0) set%weight = c_loc(self%fields(self%weight_at))
    if (self%key_at > 0) set%key = c_loc(self%fields(self%key_at))
    if (self%group_at > 0) set%group = c_loc(self%fields(self%group_at))
    if (self%pinned_at > 0) set%pinned = c_loc(self%fields(self%pinned_at))
    set%reserve = self%reserve
    set%rows = c_loc(self%rows_of_c)
    set%row_count = self%row_count
    do f = 1, self%row_count
      self%rows_of_c(1, f) = c_loc(self%fields(self%rows_at(1, f)))
      self%rows_of_c(2, f) = c_loc(self%fields(self%rows_at(2, f)))
    end do
    if (self%graph_at(1) > 0) then
      self%graph_of_c = c_graph(size=c_sizeof(self%graph_of_c))
      do f = 1, 9
        if (self%graph_at(f) > 0) &
            self%graph_of_c%entries(f) = c_loc(self%fields(self%graph_at(f)))
      end do
      set%graph = c_loc(self%graph_of_c)
    end if
  end function

  ! --- Arrays that grow ---------------------------------------------------------------------------

  function allocate_room(owner, bytes) result(values) bind(c)
    type(c_ptr), value :: owner
    integer(c_size_t), value :: bytes
    type(c_ptr) :: values
    type(growth), pointer :: growing
    integer(c_int64_t) :: objects
    call c_f_pointer(owner, growing)
    objects = int(bytes, c_int64_t) / growing%bytes_per_object
    call growing%resize(reserve, growing%variable, growing%fresh, objects, values)
  end function
  subroutine replace_room(owner, values) bind(c)
    type(c_ptr), value :: owner, values
    call end_room(owner, values, commit)
  end subroutine
  subroutine release_room(owner, values) bind(c)
    type(c_ptr), value :: owner, values
    call end_room(owner, values, release)
  end subroutine
  subroutine end_room(owner, values, what)
    type(c_ptr), intent(in) :: owner
    type(c_ptr), intent(inout) :: values
    integer, intent(in) :: what
    type(growth), pointer :: growing
    integer(c_int64_t) :: objects
    objects = 0
    call c_f_pointer(owner, growing)
    call growing%resize(what, growing%variable, growing%fresh, objects, values)
  end subroutine

  include 'growing.inc'

  ! --- Monitors and balancers ---------------------------------------------------------------------

  subroutine create_integer(self, comm, options, stat, errmsg)
    class(ek_facade), intent(inout), target :: self
    integer, intent(in) :: comm
    character(*), intent(in), optional :: options
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    character(:), allocatable, target :: text
    procedure(c_monitor_create), pointer :: create
    text = c_text(options)
    create => c_monitor_create
    select type (self)
    class is (ek_balancer)
      create => c_balancer_create
    class is (ek_block_balancer)
      create => c_block_balancer_create
    class is (ek_graph_balancer)
      create => c_graph_balancer_create
    class is (ek_grid_balancer)
      create => c_grid_balancer_create
    end select
    call tell(create(comm, c_loc(text), c_loc(self%handle)), stat, errmsg)
  end subroutine
  subroutine create_f08(self, comm, options, stat, errmsg)
    class(ek_facade), intent(inout) :: self
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in), optional :: options
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call create_integer(self, comm%mpi_val, options, stat, errmsg)
  end subroutine
  subroutine facade_free(self)
    class(ek_facade), intent(inout) :: self
    call c_free(self%handle)
    self%handle = c_null_ptr
  end subroutine
  function facade_kernel(self, name, phase) result(kernel)
    class(ek_facade), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(in), optional :: phase
    type(ek_kernel), target :: kernel
    character(:), allocatable, target :: text
    text = c_text(name)
    call tell(c_kernel_of(self%handle, c_loc(text), or_zero(phase), c_loc(kernel%handle)))
  end function
  subroutine facade_loan(self, name, loan, stat, errmsg)
    class(ek_facade), intent(in) :: self
    character(*), intent(in) :: name
    type(ek_loan), intent(out), target :: loan
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    character(:), allocatable, target :: text
    text = c_text(name)
    call tell(c_loan_of(self%handle, c_loc(text), c_loc(loan%handle)), stat, errmsg)
  end subroutine
  ! Adds seconds to the cost of the rebalance that has just been made.
  subroutine facade_note_cost(self, seconds, stat, errmsg)
    class(ek_facade), intent(in) :: self
    real(c_double), intent(in) :: seconds
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call tell(c_note_cost(self%handle, seconds), stat, errmsg)
  end subroutine
  ! The greatest load over the average, at the last look; 0 before it.
  function facade_lambda(self) result(lambda)
    class(ek_facade), intent(in) :: self
    real(c_double) :: lambda
    lambda = c_lambda(self%handle)
  end function
  ! All that the run has learned, for restore.
  function facade_state(self) result(text)
    class(ek_facade), intent(in) :: self
    character(:), allocatable :: text
    type(c_ptr), target :: address
    call tell(c_state(self%handle, c_loc(address)))
    text = text_at(address)
  end function
  subroutine facade_restore(self, state, stat, errmsg)
    class(ek_facade), intent(in) :: self
    character(*), intent(in) :: state
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    character(:), allocatable, target :: text
    text = c_text(state)
    call tell(c_restore(self%handle, c_loc(text)), stat, errmsg)
  end subroutine
  subroutine facade_finish(self, stat, errmsg)
    class(ek_facade), intent(in) :: self
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call tell(c_finish(self%handle), stat, errmsg)
  end subroutine

  ! Ends a step. `advice` is true if the program should rebalance now.
  subroutine monitor_step(self, advice, objects, may_move, stat, errmsg)
    class(ek_monitor), intent(in) :: self
    logical, intent(out), optional :: advice
    integer(c_int64_t), intent(in), optional :: objects
    logical, intent(in), optional :: may_move
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: number
    integer(c_int), target :: given
    number = 0
    if (present(objects)) number = objects
    given = 0
    call tell(c_monitor_step(self%handle, number, as_int(may_move, .true.), c_loc(given)), &
              stat, errmsg)
    if (present(advice)) advice = given /= 0
  end subroutine
  subroutine monitor_rebalanced(self, stat, errmsg)
    class(ek_monitor), intent(in) :: self
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call tell(c_monitor_rebalanced(self%handle), stat, errmsg)
  end subroutine

  ! --- Balancer -----------------------------------------------------------------------------------

  integer(c_int) function call_hook(user) bind(c)
    type(c_ptr), value :: user
    procedure(ek_hook), pointer :: hook
    integer :: status
    call c_f_procpointer(transfer(user, c_null_funptr), hook)
    status = 0
    call hook(status)
    call_hook = status
  end function
  function address_of(hook) result(address)
    procedure(ek_hook) :: hook
    type(c_ptr) :: address
    address = transfer(c_funloc(hook), c_null_ptr)
  end function
  ! Calls the hook on every rank before objects move; if it fails, the move is undone. A hook that
  ! is an internal procedure must not be called after its host has returned.
  subroutine balancer_before_move(self, hook, stat, errmsg)
    class(ek_balancer), intent(in) :: self
    procedure(ek_hook) :: hook
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call tell(c_balancer_before_move(self%handle, transfer(c_funloc(call_hook), c_null_ptr), &
                            address_of(hook)), stat, errmsg)
  end subroutine
  subroutine balancer_after_move(self, hook, stat, errmsg)
    class(ek_balancer), intent(in) :: self
    procedure(ek_hook) :: hook
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call tell(c_balancer_after_move(self%handle, transfer(c_funloc(call_hook), c_null_ptr), &
                           address_of(hook)), stat, errmsg)
  end subroutine
  ! Ends a step. If a rebalance pays, objects move, `count` is the new number of objects, and
  ! `moved` is true.
  subroutine balancer_step(self, set, count, moved, may_move, changed, stat, errmsg)
    class(ek_balancer), intent(in) :: self
    type(ek_set), intent(inout), target :: set
    integer(c_int64_t), intent(inout), target :: count
    logical, intent(out), optional :: moved
    logical, intent(in), optional :: may_move, changed
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_set), target :: given
    type(ek_move), target :: move
    given = as_c_set(set, count)
    move%size = c_sizeof(move)
    call tell(c_balancer_step(self%handle, c_loc(given), 1_c_int, as_int(may_move, .true.), &
                              as_int(changed, .false.), c_loc(move)), stat, errmsg)
    if (present(moved)) moved = move%moved /= 0
  end subroutine
  ! Balances now. The first call distributes the objects.
  subroutine balancer_rebalance(self, set, count, move, stat, errmsg)
    class(ek_balancer), intent(in) :: self
    type(ek_set), intent(inout), target :: set
    integer(c_int64_t), intent(inout), target :: count
    type(ek_move), intent(out), optional :: move
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call move_by(c_balancer_rebalance, self, set, count, move, stat, errmsg)
  end subroutine
  ! Sends objects that have left the domain of their rank to the owner of their place.
  subroutine balancer_migrate(self, set, count, move, stat, errmsg)
    class(ek_balancer), intent(in) :: self
    type(ek_set), intent(inout), target :: set
    integer(c_int64_t), intent(inout), target :: count
    type(ek_move), intent(out), optional :: move
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call move_by(c_balancer_migrate, self, set, count, move, stat, errmsg)
  end subroutine
  subroutine move_by(function, self, set, count, move, stat, errmsg)
    procedure(c_balancer_migrate) :: function
    class(ek_balancer), intent(in) :: self
    type(ek_set), intent(inout), target :: set
    integer(c_int64_t), intent(inout), target :: count
    type(ek_move), intent(out), optional :: move
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_set), target :: given
    type(ek_move), target :: report
    given = as_c_set(set, count)
    report%size = c_sizeof(report)
    call tell(function(self%handle, c_loc(given), 1_c_int, c_loc(report)), stat, errmsg)
    if (present(move)) move = report
  end subroutine
  ! Before the first step: each rank owns the objects that it has.
  subroutine balancer_adopt(self, set, count, stat, errmsg)
    class(ek_balancer), intent(in) :: self
    type(ek_set), intent(inout), target :: set
    integer(c_int64_t), intent(in), target :: count
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_set), target :: given
    given = as_c_set(set, count)
    call tell(c_balancer_adopt(self%handle, c_loc(given), 1_c_int), stat, errmsg)
  end subroutine
  ! The rank that owns a point.
  function facade_owner(self, point) result(rank)
    class(ek_facade), intent(in) :: self
    real(c_double), intent(in), target, contiguous :: point(:)
    integer(c_int), target :: rank
    call tell(c_owner(self%handle, c_loc(point), size(point, kind=c_int), c_loc(rank)))
  end function

  ! --- Balancers whose program moves the data -----------------------------------------------------

  ! All data is where the proposal wants it.
  subroutine proposer_accept(self, stat, errmsg)
    class(ek_proposer), intent(in) :: self
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call tell(c_accept(self%handle), stat, errmsg)
  end subroutine
  subroutine proposer_drop(self, stat, errmsg)
    class(ek_proposer), intent(in) :: self
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call tell(c_drop(self%handle), stat, errmsg)
  end subroutine

  ! All blocks that this rank has now. cells(:, b) and centre(:, b) have three numbers. Neighbours
  ! of block b are neighbour(first_neighbour(b) + 1 : first_neighbour(b + 1)), and so are parents;
  ! without first_parent, each block was made from one.
  subroutine block_describe(self, id, bytes, weight, cells, centre, first_neighbour, neighbour, &
                            first_parent, parent, stat, errmsg)
    class(ek_block_balancer), intent(in) :: self
    integer(c_int64_t), intent(in), target, contiguous :: id(:)
    real(c_double), intent(in), target, contiguous, optional :: bytes(:), weight(:)
    integer(c_int64_t), intent(in), target, contiguous, optional :: cells(:, :)
    real(c_double), intent(in), target, contiguous, optional :: centre(:, :)
    integer(c_int64_t), intent(in), target, contiguous, optional :: &
        first_neighbour(:), neighbour(:), first_parent(:), parent(:)
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_blocks), target :: blocks
    blocks%size = c_sizeof(blocks)
    blocks%count = size(id, kind=c_int64_t)
    blocks%lists(1) = c_loc(id)
    if (present(bytes)) blocks%lists(2) = c_loc(bytes)
    if (present(weight)) blocks%lists(3) = c_loc(weight)
    if (present(cells)) blocks%lists(4) = c_loc(cells)
    if (present(centre)) blocks%lists(5) = c_loc(centre)
    if (present(first_neighbour)) blocks%lists(6) = c_loc(first_neighbour)
    if (present(neighbour)) blocks%lists(7) = c_loc(neighbour)
    if (present(first_parent)) blocks%lists(8) = c_loc(first_parent)
    if (present(parent)) blocks%lists(9) = c_loc(parent)
    call tell(c_block_balancer_describe(self%handle, c_loc(blocks)), stat, errmsg)
  end subroutine
  ! Time the work on a block.
  subroutine block_begin(self, id, stat, errmsg)
    class(ek_block_balancer), intent(in) :: self
    integer(c_int64_t), intent(in) :: id
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call tell(c_block_begin(self%handle, id), stat, errmsg)
  end subroutine
  subroutine block_end(self, id, stat, errmsg)
    class(ek_block_balancer), intent(in) :: self
    integer(c_int64_t), intent(in) :: id
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call tell(c_block_end(self%handle, id), stat, errmsg)
  end subroutine
  subroutine block_add_cost(self, id, seconds, stat, errmsg)
    class(ek_block_balancer), intent(in) :: self
    integer(c_int64_t), intent(in) :: id
    real(c_double), intent(in) :: seconds
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call tell(c_block_add_cost(self%handle, id, seconds), stat, errmsg)
  end subroutine
  ! Ends a step. If `wanted` is true, move the blocks of the proposal, and accept it.
  subroutine block_step(self, wanted, proposal, may_move, changed, stat, errmsg)
    class(ek_block_balancer), intent(in) :: self
    logical, intent(out) :: wanted
    type(ek_block_proposal), intent(out) :: proposal
    logical, intent(in), optional :: may_move, changed
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: given
    given = c_null_ptr
    call tell(c_block_balancer_step(self%handle, as_int(may_move, .true.), &
                                    as_int(changed, .false.), c_loc(given)), stat, errmsg)
    call read_proposal(given, wanted, proposal)
  end subroutine
  ! Proposes a map now.
  subroutine block_propose(self, wanted, proposal, stat, errmsg)
    class(ek_block_balancer), intent(in) :: self
    logical, intent(out) :: wanted
    type(ek_block_proposal), intent(out) :: proposal
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: given
    given = c_null_ptr
    call tell(c_block_balancer_propose(self%handle, c_loc(given)), stat, errmsg)
    call read_proposal(given, wanted, proposal)
  end subroutine
  subroutine read_proposal(given, wanted, proposal)
    type(c_ptr), intent(in) :: given
    logical, intent(out) :: wanted
    type(ek_block_proposal), intent(out) :: proposal
    type(c_block_proposal), pointer :: from
    wanted = c_associated(given)
    if (.not. wanted) return
    call c_f_pointer(given, from)
    call c_f_pointer(from%lists(1), proposal%map, [from%counts(1)])
    call c_f_pointer(from%lists(2), proposal%leaving, [from%counts(2)])
    call c_f_pointer(from%lists(3), proposal%arriving, [from%counts(3)])
    proposal%blocks_moved = from%blocks_moved
    proposal%bytes_moved = from%bytes_moved
    proposal%lambda_before = from%lambda_before
    proposal%lambda = from%lambda
    proposal%bound = from%bound
    proposal%reason = text_at(from%reason)
  end subroutine
  ! The same as accept, but first compares the ids of this rank's blocks with the proposal.
  subroutine block_accept(self, ids, stat, errmsg)
    class(ek_block_balancer), intent(in) :: self
    integer(c_int64_t), intent(in), target, contiguous :: ids(:)
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call tell(c_block_balancer_accept(self%handle, c_loc(ids), size(ids, kind=c_int64_t)), &
              stat, errmsg)
  end subroutine

  ! Integers and numbers of any type. offsets has one entry for each vertex, and a last one. Columns
  ! count from 0, or are ids.
  subroutine graph_describe(self, offsets, columns, id, weight, bytes, position, fixed, &
                            edge_weight, uncuttable)
    class(ek_graph), intent(inout) :: self
    type(*), intent(in), target, contiguous :: offsets(..), columns(..)
    type(*), intent(in), target, contiguous, optional :: &
        id(..), weight(..), bytes(..), position(..), fixed(..), edge_weight(..), uncuttable(..)
    self%fields = c_field()
    call c_fortran_field(offsets, -1_c_int64_t, self%fields(1))
    call c_fortran_field(columns, -1_c_int64_t, self%fields(2))
    if (present(id)) call c_fortran_field(id, -1_c_int64_t, self%fields(3))
    if (present(weight)) call c_fortran_field(weight, -1_c_int64_t, self%fields(4))
    if (present(bytes)) call c_fortran_field(bytes, -1_c_int64_t, self%fields(5))
    if (present(position)) call c_fortran_field(position, -1_c_int64_t, self%fields(6))
    if (present(fixed)) call c_fortran_field(fixed, -1_c_int64_t, self%fields(7))
    if (present(edge_weight)) call c_fortran_field(edge_weight, -1_c_int64_t, self%fields(8))
    if (present(uncuttable)) call c_fortran_field(uncuttable, -1_c_int64_t, self%fields(9))
  end subroutine
  function as_c_graph(self) result(graph)
    type(ek_graph), intent(in), target :: self
    type(c_graph) :: graph
    integer :: f
    graph%size = c_sizeof(graph)
    do f = 1, 9
      if (self%fields(f)%size > 0) graph%entries(f) = c_loc(self%fields(f))
    end do
  end function

  ! Ends a step. If `wanted` is true, parts(v) is the rank proposed for vertex v.
  subroutine graph_step(self, graph, wanted, parts, report, may_move, changed, stat, errmsg)
    class(ek_graph_balancer), intent(in) :: self
    type(ek_graph), intent(in), target :: graph
    logical, intent(out) :: wanted
    integer(c_int), intent(inout) :: parts(:)
    type(ek_cut_report), intent(out), optional :: report
    logical, intent(in), optional :: may_move, changed
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_graph), target :: given
    type(c_ptr), target :: cut
    given = as_c_graph(graph)
    cut = c_null_ptr
    call tell(c_graph_balancer_step(self%handle, c_loc(given), as_int(may_move, .true.), &
                           as_int(changed, .false.), c_loc(cut)), stat, errmsg)
    call read_cut(cut, wanted, parts, report)
  end subroutine
  ! Proposes ranks now. `method` is a text such as 'graph fast 1.05'.
  subroutine graph_propose(self, graph, parts, method, report, stat, errmsg)
    class(ek_graph_balancer), intent(in) :: self
    type(ek_graph), intent(in), target :: graph
    integer(c_int), intent(inout) :: parts(:)
    character(*), intent(in), optional :: method
    type(ek_cut_report), intent(out), optional :: report
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    character(:), allocatable, target :: text
    type(c_graph), target :: given
    type(c_ptr), target :: cut
    type(c_ptr) :: by
    logical :: wanted
    given = as_c_graph(graph)
    text = c_text(method)
    by = c_null_ptr
    if (present(method)) by = c_loc(text)
    cut = c_null_ptr
    call tell(c_graph_balancer_propose(self%handle, c_loc(given), by, c_loc(cut)), stat, errmsg)
    call read_cut(cut, wanted, parts, report)
  end subroutine
  subroutine read_cut(given, wanted, parts, report)
    type(c_ptr), intent(in) :: given
    logical, intent(out) :: wanted
    integer(c_int), intent(inout) :: parts(:)
    type(ek_cut_report), intent(out), optional :: report
    type(c_graph_proposal), pointer :: from
    integer(c_int), pointer :: found(:)
    wanted = c_associated(given)
    if (.not. wanted) return
    call c_f_pointer(given, from)
    call c_f_pointer(from%parts, found, [from%count])
    parts(:size(found)) = found
    if (present(report)) report = from%report
  end subroutine

  ! Ends a step. If `wanted` is true, move the cells of cells(), and accept.
  subroutine grid_step(self, wanted, cells, count, centre_of_work, may_move, changed, stat, errmsg)
    class(ek_grid_balancer), intent(in) :: self
    logical, intent(out) :: wanted
    type(ek_set), intent(inout), target, optional :: cells
    integer(c_int64_t), intent(in), target, optional :: count
    real(c_double), intent(in), target, optional :: centre_of_work(3)
    logical, intent(in), optional :: may_move, changed
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_set), target :: set
    type(c_ptr) :: given, centre
    integer(c_int), target :: proposed
    call read_work(set, given, centre, cells, count, centre_of_work)
    proposed = 0
    call tell(c_grid_balancer_step(self%handle, given, centre, as_int(may_move, .true.), &
                          as_int(changed, .false.), c_loc(proposed)), stat, errmsg)
    wanted = proposed /= 0
  end subroutine
  ! Proposes domains now, by the cells or by the work of this rank's domain.
  subroutine grid_propose(self, wanted, work, cells, count, centre_of_work, stat, errmsg)
    class(ek_grid_balancer), intent(in) :: self
    logical, intent(out) :: wanted
    real(c_double), intent(in), optional :: work
    type(ek_set), intent(inout), target, optional :: cells
    integer(c_int64_t), intent(in), target, optional :: count
    real(c_double), intent(in), target, optional :: centre_of_work(3)
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_set), target :: set
    type(c_ptr) :: given, centre
    integer(c_int), target :: proposed
    real(c_double) :: amount
    call read_work(set, given, centre, cells, count, centre_of_work)
    amount = 0
    if (present(work)) amount = work
    proposed = 0
    call tell(c_grid_balancer_propose(self%handle, given, centre, amount, c_loc(proposed)), &
              stat, errmsg)
    wanted = proposed /= 0
  end subroutine
  subroutine read_work(set, given, centre, cells, count, centre_of_work)
    type(c_set), intent(out), target :: set
    type(c_ptr), intent(out) :: given, centre
    type(ek_set), intent(inout), target, optional :: cells
    integer(c_int64_t), intent(in), target, optional :: count
    real(c_double), intent(in), target, optional :: centre_of_work(3)
    given = c_null_ptr
    centre = c_null_ptr
    if (present(cells)) then
      set = as_c_set(cells, count)
      given = c_loc(set)
    end if
    if (present(centre_of_work)) centre = c_loc(centre_of_work)
  end subroutine
  ! The cells of a mesh of extents(1) x extents(2) x extents(3) that this rank exchanges and keeps.
  ! The lists are valid until the next call.
  subroutine grid_cells(self, extents, leaving, entering, staying, stat, errmsg)
    class(ek_grid_balancer), intent(in) :: self
    integer(c_int64_t), intent(in), target :: extents(3)
    type(ek_cells), pointer, intent(out) :: leaving(:), entering(:), staying(:)
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: given
    type(c_cell_moves), pointer :: moves
    given = c_null_ptr
    call tell(c_grid_balancer_cells(self%handle, c_loc(extents), c_loc(given)), stat, errmsg)
    if (.not. c_associated(given)) return
    call c_f_pointer(given, moves)
    call c_f_pointer(moves%lists(1), leaving, [moves%counts(1)])
    call c_f_pointer(moves%lists(2), entering, [moves%counts(2)])
    call c_f_pointer(moves%lists(3), staying, [moves%counts(3)])
  end subroutine
  ! The accepted domain of this rank, or the box around it.
  subroutine grid_domain(self, lower, upper, stat, errmsg)
    class(ek_grid_balancer), intent(in) :: self
    real(c_double), intent(out), target :: lower(3), upper(3)
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call tell(c_grid_balancer_domain(self%handle, c_loc(lower), c_loc(upper)), stat, errmsg)
  end subroutine
  ! The ranks whose domains touch that of this rank.
  function grid_neighbours(self) result(ranks)
    class(ek_grid_balancer), intent(in) :: self
    integer(c_int), allocatable :: ranks(:)
    integer(c_int), pointer :: list(:)
    integer(c_int), target :: count
    type(c_ptr), target :: given
    call tell(c_grid_balancer_neighbours(self%handle, c_loc(given), c_loc(count)))
    call c_f_pointer(given, list, [count])
    ranks = list
  end function

  ! --- Ids and ghosts -----------------------------------------------------------------------------

  ! Ids are integers of any type. `count` is the number of objects of this rank, and all entries if
  ! it is not given.
  subroutine directory_create(self, comm, ids, count, stat, errmsg)
    class(ek_directory), intent(inout), target :: self
    type(MPI_Comm), intent(in) :: comm
    type(*), intent(in), target, contiguous :: ids(..)
    integer(c_int64_t), intent(in), optional :: count
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_field), target :: field
    call field_of(field, ids, count)
    call tell(c_directory_create(comm%mpi_val, c_loc(field), c_loc(self%handle)), stat, errmsg)
  end subroutine
  subroutine directory_update(self, ids, count, stat, errmsg)
    class(ek_directory), intent(in) :: self
    type(*), intent(in), target, contiguous :: ids(..)
    integer(c_int64_t), intent(in), optional :: count
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_field), target :: field
    call field_of(field, ids, count)
    call tell(c_directory_update(self%handle, c_loc(field)), stat, errmsg)
  end subroutine
  ! Writes the rank of each id, or -1 if no object has it, and its index there, counted from 1.
  subroutine directory_look_up(self, ids, ranks, indices, stat, errmsg)
    class(ek_directory), intent(in) :: self
    integer(c_int64_t), intent(in), target, contiguous :: ids(:)
    integer(c_int), intent(out), target, contiguous :: ranks(:)
    integer(c_int64_t), intent(out), target, contiguous :: indices(:)
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_field), target :: field
    call field_of(field, ids)
    call tell(c_directory_look_up(self%handle, c_loc(field), c_loc(ranks), c_loc(indices)), &
              stat, errmsg)
    where (indices >= 0) indices = indices + 1
  end subroutine
  subroutine directory_free(self)
    class(ek_directory), intent(inout) :: self
    call c_free(self%handle)
    self%handle = c_null_ptr
  end subroutine
  subroutine field_of(field, array, count)
    type(c_field), intent(out) :: field
    type(*), intent(in), target, contiguous :: array(..)
    integer(c_int64_t), intent(in), optional :: count
    call c_fortran_field(array, -1_c_int64_t, field)
    if (present(count)) field%count = count
  end subroutine
  ! Writes the index of each id of `wanted` among `ids`, counted from 1, or -1.
  subroutine ek_local_indices(ids, wanted, indices, stat, errmsg)
    integer(c_int64_t), intent(in), target, contiguous :: ids(:), wanted(:)
    integer(c_int64_t), intent(out), target, contiguous :: indices(:)
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_field), target :: fields(3)
    call field_of(fields(1), ids)
    call field_of(fields(2), wanted)
    call field_of(fields(3), indices)
    call tell(c_local_indices(c_loc(fields(1)), c_loc(fields(2)), c_loc(fields(3))), stat, errmsg)
    where (indices >= 0) indices = indices + 1
  end subroutine

  ! Ghosts within a width of the domain of this rank: along each axis, or in a straight line.
  subroutine halo_create(self, balancer, set, count, width, straight, stat, errmsg)
    class(ek_halo), intent(inout), target :: self
    type(ek_balancer), intent(in) :: balancer
    type(ek_set), intent(inout), target :: set
    integer(c_int64_t), intent(in), target :: count
    real(c_double), intent(in) :: width
    logical, intent(in), optional :: straight
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_set), target :: given
    call self%free()
    given = as_c_set(set, count)
    call tell(c_halo_create(balancer%handle, c_loc(given), width, as_int(straight, .false.), &
                            c_loc(self%handle)), stat, errmsg)
  end subroutine
  ! The ghosts are the objects of other ranks with one of these ids.
  subroutine halo_around_ids(self, balancer, directory, ids, owned, stat, errmsg)
    class(ek_halo), intent(inout), target :: self
    type(ek_balancer), intent(in) :: balancer
    type(ek_directory), intent(in) :: directory
    type(*), intent(in), target, contiguous :: ids(..)
    integer(c_int64_t), intent(in) :: owned
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_field), target :: field
    call self%free()
    call field_of(field, ids)
    call tell(c_halo_around_ids(balancer%handle, directory%handle, c_loc(field), owned, &
                                c_loc(self%handle)), stat, errmsg)
  end subroutine
  ! Gives arrays that grow room for owned objects and ghosts.
  subroutine halo_make_room(self, set, count, stat, errmsg)
    class(ek_halo), intent(in) :: self
    type(ek_set), intent(inout), target :: set
    integer(c_int64_t), intent(in), target :: count
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_set), target :: given
    given = as_c_set(set, count)
    call tell(c_halo_make_room(self%handle, c_loc(given)), stat, errmsg)
  end subroutine
  ! Writes ghosts behind the owned objects. Positions are shifted by whole periods.
  subroutine halo_exchange(self, set, count, stat, errmsg)
    class(ek_halo), intent(in) :: self
    type(ek_set), intent(inout), target :: set
    integer(c_int64_t), intent(in), target :: count
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_set), target :: given
    given = as_c_set(set, count)
    call tell(c_halo_exchange(self%handle, c_loc(given), c_null_ptr), stat, errmsg)
  end subroutine
  ! Adds the values of ghosts to those of their objects, in an array of numbers.
  subroutine halo_sum_back(self, array, stat, errmsg)
    class(ek_halo), intent(in) :: self
    type(*), intent(in), target, contiguous :: array(..)
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_field), target :: field
    type(c_ptr), target :: list
    type(c_set), target :: set
    call field_of(field, array)
    list = c_loc(field)
    set%size = c_sizeof(set)
    set%carried = c_loc(list)
    set%carried_count = 1
    call tell(c_halo_sum_back(self%handle, c_loc(set), c_null_ptr), stat, errmsg)
  end subroutine
  function halo_ghosts(self) result(count)
    class(ek_halo), intent(in) :: self
    integer(c_int64_t) :: count
    count = c_halo_ghosts(self%handle)
  end function
  ! True if it was made for the present domains; false before create.
  function halo_is_current(self) result(is_current)
    class(ek_halo), intent(in) :: self
    logical :: is_current
    is_current = .false.
    if (c_associated(self%handle)) is_current = c_halo_is_current(self%handle) /= 0
  end function
  subroutine halo_free(self)
    class(ek_halo), intent(inout) :: self
    call c_free(self%handle)
    self%handle = c_null_ptr
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
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_loan_call), target :: call
    integer(c_int), target :: was_lent
    integer(c_int) :: status
    call%size = c_sizeof(call)
    call%count = count
    call%kept = c_loc(self%kept)
    call%inputs = c_loc(self%inputs)
    call%results = c_loc(self%results)
    call%kept_count = self%kept_count
    call%input_count = self%input_count
    call%result_count = self%result_count
    if (self%has_weight) call%weight = c_loc(self%weight_field)
    was_lent = 0
    status = c_loan_run(self%handle, c_loc(call), transfer(c_funloc(work_on_batch), c_null_ptr), &
                        transfer(c_funloc(work), c_null_ptr), c_loc(was_lent))
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
    call c_free(self%handle)
    self%handle = c_null_ptr
  end subroutine

  function work_on_batch(given, user) result(status) bind(c)
    type(c_batch), intent(in) :: given
    type(c_ptr), value :: user
    integer(c_int) :: status
    procedure(ek_batch_work), pointer :: work
    type(ek_batch) :: batch
    integer(c_int64_t) :: places
    call c_f_procpointer(transfer(user, c_null_funptr), work)
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
    call work(batch)
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
    real(c_double), intent(in), target, contiguous :: costs(:)
    integer, intent(in) :: ranks
    integer(c_int), intent(out), target, contiguous :: map(:)
    real(c_double), intent(in), optional, target, contiguous :: coordinates(:, :)
    integer(c_int), intent(in), optional, target, contiguous :: from(:)
    real(c_double), intent(out), optional :: lambda, bound
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_assign_options), target :: options
    real(c_double), target :: found, proven
    options%size = c_sizeof(options)
    options%ranks = ranks
    if (present(coordinates)) then
      options%coordinates = c_loc(coordinates)
      options%dimensions = size(coordinates, 1)
    end if
    if (present(from)) options%from = c_loc(from)
    call tell(c_assign(c_loc(costs), size(costs, kind=c_int64_t), c_loc(options), c_loc(map), &
                       c_loc(found), c_loc(proven)), stat, errmsg)
    if (present(lambda)) lambda = found
    if (present(bound)) bound = proven
  end subroutine

  ! Writes the part of each point, counted from 0. points(:, i) is point i.
  subroutine ek_partition(comm, points, part, method, parts, weights, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    real(c_double), intent(in), target, contiguous :: points(:, :)
    integer(c_int), intent(out), target, contiguous :: part(:)
    character(*), intent(in), optional :: method
    integer, intent(in), optional :: parts
    real(c_double), intent(in), optional, target, contiguous :: weights(:)
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    character(:), allocatable, target :: name
    type(c_ptr) :: costs
    costs = c_null_ptr
    if (present(weights)) costs = c_loc(weights)
    name = c_text('hilbert')
    if (present(method)) name = c_text(method)
    call tell(c_partition(comm%mpi_val, c_loc(points), size(points, 1, kind=c_int), &
                          size(points, 2, kind=c_int64_t), costs, c_loc(name), or_zero(parts), &
                          c_loc(part)), stat, errmsg)
  end subroutine

  ! Writes the part of each vertex. `method` is a text such as 'graph fast 1.05'; `from` are the
  ! present parts.
  subroutine ek_cut_graph(comm, graph, part, parts, method, from, report, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    type(ek_graph), intent(in), target :: graph
    integer(c_int), intent(out), target, contiguous :: part(:)
    integer, intent(in), optional :: parts
    character(*), intent(in), optional :: method
    integer(c_int), intent(in), optional, target, contiguous :: from(:)
    type(ek_cut_report), intent(out), optional :: report
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call cut(comm, graph, part, parts, method, from, report, stat, errmsg)
  end subroutine
  ! Writes the part of each of `objects` objects of this rank. Row e of `nets` has the pins of net
  ! e, and its edge_weight has one number for each net.
  subroutine ek_cut_nets(comm, objects, nets, part, parts, method, from, report, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    integer(c_int64_t), intent(in) :: objects
    type(ek_graph), intent(in), target :: nets
    integer(c_int), intent(out), target, contiguous :: part(:)
    integer, intent(in), optional :: parts
    character(*), intent(in), optional :: method
    integer(c_int), intent(in), optional, target, contiguous :: from(:)
    type(ek_cut_report), intent(out), optional :: report
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call cut(comm, nets, part, parts, method, from, report, stat, errmsg, objects)
  end subroutine
  ! With objects, cuts nets.
  subroutine cut(comm, graph, part, parts, method, from, report, stat, errmsg, objects)
    type(MPI_Comm), intent(in) :: comm
    type(ek_graph), intent(in), target :: graph
    integer(c_int), intent(out), target, contiguous :: part(:)
    integer, intent(in), optional :: parts
    character(*), intent(in), optional :: method
    integer(c_int), intent(in), optional, target, contiguous :: from(:)
    type(ek_cut_report), intent(out), optional :: report
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), intent(in), optional :: objects
    character(:), allocatable, target :: text
    type(c_graph), target :: given
    type(c_cut_options), target :: options
    type(c_field), target :: present_parts
    type(ek_cut_report), target :: found
    integer(c_int) :: status
    given = as_c_graph(graph)
    options%size = c_sizeof(options)
    options%parts = or_zero(parts)
    text = c_text(method)
    if (present(method)) options%method = c_loc(text)
    if (present(from)) then
      call field_of(present_parts, from)
      options%from = c_loc(present_parts)
    end if
    found%size = c_sizeof(found)
    if (present(objects)) then
      status = c_cut_nets(comm%mpi_val, objects, c_loc(given), c_loc(options), c_loc(part), &
                          c_loc(found))
    else
      status = c_cut_graph(comm%mpi_val, c_loc(given), c_loc(options), c_loc(part), c_loc(found))
    end if
    call tell(status, stat, errmsg)
    if (present(report)) report = found
  end subroutine

  ! Cuts a row of items: part p, counted from 0, has items offsets(p + 1) + 1 to offsets(p + 2).
  subroutine ek_cut_chain(weights, parts, offsets, speeds, least_items, lambda, stat, errmsg)
    real(c_double), intent(in), target, contiguous :: weights(:)
    integer, intent(in) :: parts
    integer(c_int64_t), intent(out), target, contiguous :: offsets(:)
    real(c_double), intent(in), optional, target, contiguous :: speeds(:)
    integer(c_int64_t), intent(in), optional :: least_items
    real(c_double), intent(out), optional :: lambda
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: of_parts
    integer(c_int64_t) :: least
    real(c_double), target :: found
    of_parts = c_null_ptr
    if (present(speeds)) of_parts = c_loc(speeds)
    least = 0
    if (present(least_items)) least = least_items
    call tell(c_cut_chain(c_loc(weights), size(weights, kind=c_int64_t), parts, of_parts, least, &
                          c_loc(offsets), c_loc(found)), stat, errmsg)
    if (present(lambda)) lambda = found
  end subroutine

end module evenkeel
