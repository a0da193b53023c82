#pragma once

// A geometric method of Zoltan, from points in memory to the part of each. MPI_COMM_WORLD.

#include "clouds.hpp"

#include <zoltan.h>

#include <algorithm>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel::bench {

class ZoltanPeer {
 public:
  using Parameters = std::vector<std::pair<const char*, const char*>>;

  // `tolerance`: the greatest part over the average that it aims for.
  ZoltanPeer(std::string name, const Parameters& parameters, const char* tolerance)
      : name_(std::move(name)), zoltan_(Zoltan_Create(MPI_COMM_WORLD)) {
    for (const auto& [parameter, value] : Parameters{{"DEBUG_LEVEL", "0"},
                                                     {"NUM_GID_ENTRIES", "1"},
                                                     {"NUM_LID_ENTRIES", "1"},
                                                     {"LB_APPROACH", "PARTITION"},
                                                     {"RETURN_LISTS", "PARTS"},
                                                     {"IMBALANCE_TOL", tolerance}})
      set_parameter(parameter, value);
    for (const auto& [parameter, value] : parameters) set_parameter(parameter, value);
    Zoltan_Set_Num_Obj_Fn(zoltan_, &count, this);
    Zoltan_Set_Obj_List_Fn(zoltan_, &list, this);
    Zoltan_Set_Num_Geom_Fn(zoltan_, &dimensions, nullptr);
    Zoltan_Set_Geom_Multi_Fn(zoltan_, &positions, this);
  }
  ZoltanPeer(const ZoltanPeer&) = delete;
  ZoltanPeer& operator=(const ZoltanPeer&) = delete;
  ~ZoltanPeer() {
    free_lists();
    Zoltan_Destroy(&zoltan_);
  }

  const std::string& name() const { return name_; }

  // To free what was found before is not timed.
  void prepare(int parts) {
    free_lists();
    set_parameter("NUM_GLOBAL_PARTS", std::to_string(parts).c_str());
  }
  void partition(std::span<const clouds::Point> points) {
    points_ = points;
    int changes = 0, id_entries = 0, local_id_entries = 0;
    const int code = Zoltan_LB_Partition(
        zoltan_, &changes, &id_entries, &local_id_entries, &imports_.count, &imports_.ids,
        &imports_.local_ids, &imports_.ranks, &imports_.parts, &exports_.count, &exports_.ids,
        &exports_.local_ids, &exports_.ranks, &exports_.parts);
    require(code == ZOLTAN_OK && exports_.count == static_cast<int>(points_.size()),
            "Zoltan_LB_Partition");
  }
  // Of the objects in no particular order.
  std::span<const int> parts() const {
    return {exports_.parts, static_cast<std::size_t>(exports_.count)};
  }

 private:
  struct Lists {
    int count = 0;
    ZOLTAN_ID_PTR ids = nullptr, local_ids = nullptr;
    int *ranks = nullptr, *parts = nullptr;
    void free() { Zoltan_LB_Free_Part(&ids, &local_ids, &ranks, &parts); }
  };

  static void require(bool good, const char* what) {
    if (good) return;
    std::fprintf(stderr, "%s failed.\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  void set_parameter(const char* parameter, const char* value) {
    require(Zoltan_Set_Param(zoltan_, parameter, value) == ZOLTAN_OK, parameter);
  }
  void free_lists() {
    imports_.free();
    exports_.free();
  }

  static const ZoltanPeer& peer(void* data) { return *static_cast<const ZoltanPeer*>(data); }
  static int count(void* data, int* code) {
    *code = ZOLTAN_OK;
    return static_cast<int>(peer(data).points_.size());
  }
  static void list(void* data, int, int, ZOLTAN_ID_PTR ids, ZOLTAN_ID_PTR local_ids, int, float*,
                   int* code) {
    const auto objects = static_cast<ZOLTAN_ID_TYPE>(peer(data).points_.size());
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const ZOLTAN_ID_TYPE first = static_cast<ZOLTAN_ID_TYPE>(rank) * most_objects_of_a_rank;
    for (ZOLTAN_ID_TYPE i = 0; i < objects; ++i) {
      ids[i] = first + i;
      local_ids[i] = i;
    }
    *code = ZOLTAN_OK;
  }
  static int dimensions(void*, int* code) {
    *code = ZOLTAN_OK;
    return 3;
  }
  static void positions(void* data, int, int, int objects, ZOLTAN_ID_PTR, ZOLTAN_ID_PTR local_ids,
                        int, double* places, int* code) {
    const std::span<const clouds::Point> points = peer(data).points_;
    for (int i = 0; i < objects; ++i) {
      const clouds::Point& point = points[local_ids[i]];
      places = std::copy(point.begin(), point.end(), places);
    }
    *code = ZOLTAN_OK;
  }

  static constexpr ZOLTAN_ID_TYPE most_objects_of_a_rank = ZOLTAN_ID_TYPE{1} << 26;
  std::string name_;
  Zoltan_Struct* zoltan_;
  std::span<const clouds::Point> points_;
  Lists imports_, exports_;
};

}  // namespace evenkeel::bench
