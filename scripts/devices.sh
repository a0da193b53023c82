# shellcheck shell=bash
# The check of scripts/test --devices: compiles all sources of the library for CUDA and for HIP. It
# needs neither a GPU nor a Kokkos built for one. Debian's package has the headers of all backends,
# and a folder before it in the include path selects the backend. Source this after common.sh and
# newest.sh. It needs root.

# shellcheck disable=SC2154  # variables of common.sh
: "${checkout:?}" "${program:?}"

devices_packages=(g++ hipcc libomp-21-dev libkokkos-dev libspdlog-dev libeigen3-dev)
devices_root="${EVENKEEL_DEVICES_ROOT:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/evenkeel/devices}"
devices_build="$checkout/build/devices"

# name_backend FOLDER HEADERS NAME SETUP ARCHITECTURE...: writes the headers that a build of Kokkos
# would have generated, for the Serial host and this backend.
name_backend() {
  local folder="$1" headers="$2" name="$3" setup="$4" macro edit
  shift 4
  edit='s|^#define KOKKOS_ENABLE_OPENMP$||'
  for macro in KOKKOS_ENABLE_SERIAL "KOKKOS_ENABLE_$name" "${@/#/KOKKOS_ARCH_}"; do
    grep -qF "#undef $macro */" "$headers/KokkosCore_config.h" ||
      die "this Kokkos knows no $macro: $headers"
    edit+=";s|/\* #undef $macro \*/|#define $macro|"
  done
  mkdir -p "$folder/desul/atomics"
  sed "$edit" "$headers/KokkosCore_config.h" >"$folder/KokkosCore_config.h"
  sed "s|/\* #undef DESUL_ATOMICS_ENABLE_$name \*/|#define DESUL_ATOMICS_ENABLE_$name|" \
    "$headers/desul/atomics/Config.hpp" >"$folder/desul/atomics/Config.hpp"
  printf '#include <decl/Kokkos_Declare_%s.hpp>\n' SERIAL "$name" \
    >"$folder/KokkosCore_Config_DeclareBackend.hpp"
  printf '#include <fwd/Kokkos_Fwd_%s.hpp>\n' SERIAL "$name" \
    >"$folder/KokkosCore_Config_FwdBackend.hpp"
  printf '#include <setup/Kokkos_Setup_%s.hpp>\n' "$setup" \
    >"$folder/KokkosCore_Config_SetupBackend.hpp"
}

# Writes one source per folder, which includes all sources of this folder, and lists them. They
# compile together in a third of the time. Leaves out the calls of MPI, which are all in files named
# mpi_*, and the test device, which builds for devices do not have.
device_sources() {
  local folder source
  cd "$checkout" || return 1
  rm -rf "$devices_build/folders"
  mkdir -p "$devices_build/folders"
  find {backends,core,monitor,extras}/src -name '*.cpp' ! -name 'mpi_*' ! -name test_device.cpp |
    sort |
    while IFS= read -r source; do
      folder="${source%/*}"
      printf '#include "%s"\n' "$source" >>"$devices_build/folders/${folder//\//_}.cpp"
    done
  find "${devices_build#"$checkout/"}/folders" -name '*.cpp' | sort
}

# compile_each JOBS LIST COMPILER...: prints the compiler's output for the sources that fail.
compile_each() {
  local jobs="$1" list="$2"
  shift 2
  # shellcheck disable=SC2016
  xargs -r -d '\n' -a "$list" -n 1 -P "$jobs" bash -c '
    output="$("$@" 2>&1)" || { printf "%s\n" "$output"; exit 1; }' _ "$@"
}

# Runs nvcc outside of the root directory, since some versions of nvcc do not work with the newest C
# library.
compile_for_cuda() {
  local jobs="$1" list="$2"
  cd "$checkout" || return 1
  compile_each "$jobs" "$list" nvcc -x cu -std=c++20 -arch=sm_90 --extended-lambda \
    --Werror cross-execution-space-call,reorder,deprecated-declarations \
    -Xcudafe --diag_error=20013 \
    -Xcompiler=-Wall,-Wextra,-Wshadow,-Wconversion,-Wnon-virtual-dtor,-Woverloaded-virtual \
    -Xcompiler=-Wno-subobject-linkage,-Werror \
    -isystem "$devices_build/cuda" -isystem "$devices_root/usr/include/kokkos" \
    "${device_includes[@]}" -c -o /dev/null
}

compile_for_hip() {
  local jobs="$1" list="$2" root="$devices_root"
  mkdir -p "$root/evenkeel"
  # shellcheck disable=SC2016  # expanded by the inner shells
  unshare --mount --propagation unchanged bash -c '
    set -euo pipefail
    source "$1/scripts/common.sh"
    source "$1/scripts/newest.sh"
    source "$1/scripts/devices.sh"
    mount --make-rprivate / 2>/dev/null || true
    mount --bind "$1" "$2/evenkeel"
    mount -t proc proc "$2/proc" 2>/dev/null || mount --rbind /proc "$2/proc"
    mount --rbind /dev "$2/dev"
    export -f compile_each
    shift 2
    exec chroot "$devices_root" /usr/bin/env LANG=C.UTF-8 HOME=/root \
      PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      bash -c "cd /evenkeel && compile_each \"\$@\"" bash "$@"' bash "$checkout" "$root" \
    "$jobs" "/evenkeel/${list#"$checkout/"}" hipcc -x hip --offload-arch=gfx90a -std=c++20 -Wall \
    -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual \
    -Wpedantic -Werror -Wno-unused-command-line-argument -isystem /evenkeel/build/devices/hip \
    -isystem /usr/include/kokkos "${device_includes[@]}" -fsyntax-only
}

# check_devices REFRESH JOBS
check_devices() {
  local refresh="$1" jobs="$2" list="$devices_build/sources" headers start=$SECONDS what=()
  headers="$devices_root/usr/include/kokkos"
  ensure_packages "${packages_build[@]}" "${packages_kernels[@]}" "${packages_newest_host[@]}"
  ensure_root "$refresh" "$devices_root" "${devices_packages[@]}"
  # CMake generates some headers and definitions. Paths are relative, so that they are valid inside
  # the root, too.
  configure "$devices_build" -DEVENKEEL_ENABLE_MPI=OFF -DEVENKEEL_BUILD_TESTS=OFF \
    -DEVENKEEL_BUILD_TOOLS=OFF -DEVENKEEL_BUILD_EXAMPLES=OFF
  device_includes=(-I. -Ibackends/include -Ibuild/devices/backends/include -Icore/include
    -Imonitor/include -Iextras/include -Iassign/include -Ibackends/internal -Icore/internal
    -Imonitor/internal -Ibackends/src -Icore/src -Imonitor/src -Iextras/src
    -isystem /usr/include/eigen3 -DEVENKEEL_INTERNAL '-DEVENKEEL_KOKKOS_KERNELS_VERSION=""'
    '-DEVENKEEL_COMMIT=""' '-DEVENKEEL_OPTIONS=""')
  name_backend "$devices_build/cuda" "$headers" CUDA Cuda HOPPER HOPPER90
  name_backend "$devices_build/hip" "$headers" HIP HIP AMD_GFX90A AMD_GPU
  (device_sources) >"$list"
  if command -v nvcc >/dev/null; then
    what+=("CUDA $(nvcc --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')")
    run_stage cuda "$devices_build/log/cuda.log" compile_for_cuda "$jobs" "$list"
  else
    what+=("CUDA not at all, since there is no nvcc")
  fi
  run_stage hip "$devices_build/log/hip.log" compile_for_hip "$jobs" "$list"
  what+=("HIP of Debian sid of $(describe_root "$devices_root")")
  printf '%s: devices: %s for %s, %s in %d s\n' "$program" \
    "$(count_of "$(wc -l <"$list")" folder)" "${what[0]}" "${what[1]}" $((SECONDS - start))
}
