#pragma once

// The objects on which a kernel works when ranks lend each other work; see monitor/loan.hpp.

#include <evenkeel/core/field.hpp>

#include <span>
#include <vector>

// For functions that host and device call, in a header without Kokkos.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define EVENKEEL_FUNCTION __host__ __device__
#else
#define EVENKEEL_FUNCTION
#endif

namespace evenkeel {

// Some objects, for one call of a kernel: some of this rank's own, or some that another rank lends.
// All their values are in memory of one kind. A batch is valid only during the call.
class EVENKEEL_API Batch {
 public:
  // The values of one field, for host or device code: value c of object i is values(i, c).
  template <class T>
  struct Values {
    std::byte* data;
    const std::int64_t* objects;  // the places of the objects; null if these are 0, 1, 2, ...
    std::int64_t object_stride_bytes, component_stride_bytes;

    EVENKEEL_FUNCTION T& operator()(std::int64_t i, int c = 0) const {
      const std::int64_t place = objects != nullptr ? objects[i] : i;
      return *reinterpret_cast<T*>(data + place * object_stride_bytes + c * component_stride_bytes);
    }
  };

  std::int64_t count() const noexcept { return count_; }
  int owner() const noexcept { return owner_; }  // the rank that owns these objects
  bool is_borrowed() const noexcept { return is_borrowed_; }
  MemoryKind memory() const noexcept { return cost_.memory; }

  // Fields count from 0 on: those that are given and returned, then the inputs, then the results.
  // An Error if the values of the field have another type than T.
  template <class T>
  Values<T> field(std::size_t number) const {
    const FieldLayout& at = layout(number, scalar_type_of<T>(), sizeof(T));
    return {static_cast<std::byte*>(at.data), objects_, at.object_stride_bytes,
            at.component_stride_bytes};
  }
  // The same as addresses: object i is at place objects()[i], or at place i if objects() is null.
  const std::vector<FieldLayout>& fields() const noexcept { return *fields_; }
  const std::int64_t* objects() const noexcept { return objects_; }

  // The index of object i among the objects of its owner.
  struct Indices {
    const std::int64_t* list;  // null if the indices are adjacent
    std::int64_t first;
    EVENKEEL_FUNCTION std::int64_t operator()(std::int64_t i) const {
      return list != nullptr ? list[i] : first + i;
    }
  };
  Indices index() const noexcept { return indices_; }

  // An Error of the application that names object i and its owner, for the kernel to throw. Waits
  // for the device, if the indices are there.
  Error failure(std::int64_t i, const std::string& what) const;

  // The kernel may write here what each object has cost, in any unit that all ranks share, such as
  // the number of its inner steps. It must do so for all objects or for no object. Otherwise the
  // time of a batch is divided over its objects, in proportion to their expected costs.
  Values<double> cost() const {
    return {static_cast<std::byte*>(cost_.data), objects_, cost_.object_stride_bytes,
            cost_.component_stride_bytes};
  }

  // For the library.
  Batch(const std::vector<FieldLayout>& fields, const FieldLayout& cost,
        const std::int64_t* objects, const Indices& indices, std::int64_t count, int owner,
        bool is_borrowed) noexcept
      : fields_(&fields),
        cost_(cost),
        objects_(objects),
        indices_(indices),
        count_(count),
        owner_(owner),
        is_borrowed_(is_borrowed) {}

 private:
  const FieldLayout& layout(std::size_t number, ScalarType scalar, std::size_t bytes) const;

  const std::vector<FieldLayout>* fields_;
  FieldLayout cost_;
  const std::int64_t* objects_;
  Indices indices_;
  std::int64_t count_;
  int owner_;
  bool is_borrowed_;
};

}  // namespace evenkeel
