/* Makes fields of Fortran arrays of any type and rank. The last dimension counts objects, the
 * others are the values of an object. */

#include <evenkeel/c.h>

#include <ISO_Fortran_binding.h>

static int type_of(const CFI_cdesc_t* array) {
  switch (array->type) {
    case CFI_type_float: return EK_FLOAT;
    case CFI_type_double: return EK_DOUBLE;
    case CFI_type_int8_t: return EK_INT8;
    case CFI_type_int16_t: return EK_INT16;
    case CFI_type_int32_t: return EK_INT32;
    case CFI_type_int64_t: return EK_INT64;
    default: return EK_BYTES;
  }
}

/* `count` is the number of objects, or -1 for all that the array has room for. */
EK_API void ek_fortran_field(CFI_cdesc_t* array, int64_t count, ek_field* field) {
  int64_t components = 1;
  for (int d = 0; d + 1 < array->rank; ++d) components *= array->dim[d].extent;
  const int64_t objects = array->rank > 0 ? array->dim[array->rank - 1].extent : 1;
  *field = ek_field_of(array->base_addr, type_of(array), (int)components,
                       count < 0 ? objects : count);
  field->capacity = objects;
  field->element_bytes = (int)array->elem_len;
}

/* The address of an allocatable variable. Compilers pass it for an allocatable argument of a
 * procedure without bind(c), which the caller declares. */
EK_API void ek_fortran_address(void* variable, void** address) { *address = variable; }
