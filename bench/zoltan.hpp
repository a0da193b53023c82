#pragma once

// Zoltan, a peer: the code that its methods share, and its geometric methods on points. Zoltan gets
// its input by call-backs.

#include "clouds.hpp"

#include <mpi.h>
#include <zoltan.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

namespace evenkeel::bench {

class Zoltan {
 public:
  using Parameters = std::vector<std::pair<const char*, std::string>>;

  Zoltan(MPI_Comm ranks, const Parameters& parameters) : zoltan_(Zoltan_Create(ranks)) {
    for (const auto& [parameter, value] : Parameters{{"DEBUG_LEVEL", "0"},
                                                     {"NUM_GID_ENTRIES", "1"},
                                                     {"NUM_LID_ENTRIES", "1"},
                                                     {"LB_APPROACH", "PARTITION"},
                                                     {"RETURN_LISTS", "PARTS"}})
      set(parameter, value);
    for (const auto& [parameter, value] : parameters) set(parameter, value);
    Zoltan_Set_Num_Obj_Fn(zoltan_, &count, this);
    Zoltan_Set_Obj_List_Fn(zoltan_, &list, this);
  }
  Zoltan(const Zoltan&) = delete;
  Zoltan& operator=(const Zoltan&) = delete;
  ~Zoltan() {
    free_lists();
    Zoltan_Destroy(&zoltan_);
  }

  void set(const char* parameter, const std::string& value) {
    require(Zoltan_Set_Param(zoltan_, parameter, value.c_str()) == ZOLTAN_OK, parameter);
  }
  // Frees the lists of the last result, so that their release does not count in the next time.
  void free_lists() {
    imports_.free();
    exports_.free();
  }
  void partition() {
    int changes = 0, id_entries = 0, local_id_entries = 0;
    const int code = Zoltan_LB_Partition(
        zoltan_, &changes, &id_entries, &local_id_entries, &imports_.count, &imports_.ids,
        &imports_.local_ids, &imports_.ranks, &imports_.parts, &exports_.count, &exports_.ids,
        &exports_.local_ids, &exports_.ranks, &exports_.parts);
    require(
        (code == ZOLTAN_OK || code == ZOLTAN_WARN) && exports_.count == static_cast<int>(objects_),
        "Zoltan_LB_Partition");
  }
  // The parts of objects, in no particular order.
  std::span<const int> parts() const { return {exports_.parts, objects_}; }
  std::vector<int> part_of_object() const {
    std::vector<int> parts(objects_);
    for (std::size_t i = 0; i < objects_; ++i) parts[exports_.local_ids[i]] = exports_.parts[i];
    return parts;
  }

 protected:
  Zoltan_Struct* get() { return zoltan_; }

  std::size_t objects_ = 0;  // of this rank; their indices are their local ids
  ZOLTAN_ID_TYPE first_ = 0;

 private:
  struct Lists {
    int count = 0;
    ZOLTAN_ID_PTR ids = nullptr, local_ids = nullptr;
    int *ranks = nullptr, *parts = nullptr;
    void free() { Zoltan_LB_Free_Part(&ids, &local_ids, &ranks, &parts); }
  };

  static void require(bool good, const char* what) {
    if (good) return;
    std::fprintf(stderr, "Zoltan's %s failed.\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  static int count(void* data, int* code) {
    *code = ZOLTAN_OK;
    return static_cast<int>(static_cast<const Zoltan*>(data)->objects_);
  }
  static void list(void* data, int, int, ZOLTAN_ID_PTR ids, ZOLTAN_ID_PTR local_ids, int, float*,
                   int* code) {
    const Zoltan& all = *static_cast<const Zoltan*>(data);
    for (std::size_t i = 0; i < all.objects_; ++i) {
      local_ids[i] = static_cast<ZOLTAN_ID_TYPE>(i);
      ids[i] = all.first_ + local_ids[i];
    }
    *code = ZOLTAN_OK;
  }

  Zoltan_Struct* zoltan_;
  Lists imports_, exports_;
};

// A geometric method on MPI_COMM_WORLD. It finds the part of each point in memory.
class ZoltanOnPoints : public Zoltan {
 public:
  ZoltanOnPoints(const Parameters& parameters, const char* target_lambda)
      : Zoltan(MPI_COMM_WORLD, parameters) {
    set("IMBALANCE_TOL", target_lambda);
    Zoltan_Set_Num_Geom_Fn(get(), &dimensions, nullptr);
    Zoltan_Set_Geom_Multi_Fn(get(), &positions, this);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    first_ = static_cast<ZOLTAN_ID_TYPE>(rank) << 26U;  // room for more objects than a rank has
  }

  void prepare(int parts) {
    free_lists();
    set("NUM_GLOBAL_PARTS", std::to_string(parts));
  }
  std::span<const int> partition(std::span<const clouds::Point> points) {
    points_ = points;
    objects_ = points.size();
    Zoltan::partition();
    return parts();
  }

 private:
  static int dimensions(void*, int* code) {
    *code = ZOLTAN_OK;
    return 3;
  }
  static void positions(void* data, int, int, int objects, ZOLTAN_ID_PTR, ZOLTAN_ID_PTR local_ids,
                        int, double* places, int* code) {
    const auto points = static_cast<const ZoltanOnPoints*>(data)->points_;
    for (int i = 0; i < objects; ++i) {
      const clouds::Point& point = points[local_ids[i]];
      places = std::copy(point.begin(), point.end(), places);
    }
    *code = ZOLTAN_OK;
  }

  std::span<const clouds::Point> points_;
};

}  // namespace evenkeel::bench
