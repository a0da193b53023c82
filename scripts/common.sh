# shellcheck shell=bash disable=SC2034  # scripts that source this use the groups of packages
# Functions that the scripts in this directory share: timed stages, packages, build directories. The
# script that sources this sets `set -euo pipefail`.

checkout="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
program="${program:-${0##*/}}"
default_directory="$checkout/build/default"  # of scripts/demo, and of scripts/test without options

# --- Packages -------------------------------------------------------------------------------------
# Names of Debian's packages. "a|b": either is enough; the first that the distribution has is
# installed. "a?": optional; it is installed if the distribution has it.
packages_build=(g++ cmake ninja-build ccache libeigen3-dev libspdlog-dev
  "libtrilinos-kokkos-dev|libkokkos-dev")
packages_kernels=("libtrilinos-kokkos-kernels-dev?")
packages_mpi=("libopenmpi-dev|libmpich-dev" "openmpi-bin|mpich")
packages_tools=(libcli11-dev nlohmann-json3-dev)
packages_tests=(libgtest-dev libbenchmark-dev "gfortran?" "pkgconf?" "python3-numpy?"
  "python3-mpi4py?" "python3-matplotlib?")
packages_lint=(clang-format clang-tidy)
packages_docs=(git doxygen python3-sphinx python3-myst-parser python3-sphinx-copybutton furo)
packages_clang=(clang "libclang-rt-dev?")
packages_newest_host=(mmdebstrap mount debian-archive-keyring)

# --- Messages -------------------------------------------------------------------------------------
die() {
  printf '%s: %s\n' "$program" "$*" >&2
  exit 1
}

# count_of 1 test -> "1 test"; count_of 2 test -> "2 tests".
count_of() {
  printf '%d %s' "$1" "$2"
  (($1 == 1)) || printf s
}

# run_stage NAME LOG COMMAND...: prints one line with the seconds, and the log only on a failure.
run_stage() {
  local name="$1" log="$2" start=$SECONDS status=0
  shift 2
  mkdir -p "$(dirname "$log")"
  printf '  %-12s ' "$name"
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if ((status == 0)); then
    printf '%5d s\n' $((SECONDS - start))
    return 0
  fi
  printf 'failed after %d s\n\n' $((SECONDS - start))
  tail -n 60 "$log"
  printf '\n%s: %s failed; the full log is %s\n' "$program" "$name" \
    "${log#"$checkout"/}"
  return "$status"
}

# --- Drawing --------------------------------------------------------------------------------------
# If a run cannot check everything, the commit chooses what it checks. Other commits choose
# differently.
drawing_commit() {
  git -C "$checkout" rev-parse HEAD 2>/dev/null || printf none
}

# draw_lines MOST FILE: prints at most this many of its lines.
draw_lines() {
  local most="$1" file="$2" commit line
  if (($(wc -l <"$file") <= most)); then
    cat "$file"
    return 0
  fi
  commit="$(drawing_commit)"
  while IFS= read -r line; do
    printf '%s %s\n' "$(cksum <<<"$commit $line" | cut -d' ' -f1)" "$line"
  done <"$file" | sort -n | sed -n "1,${most}s/^[^ ]* //p"
}

# --- Installing packages --------------------------------------------------------------------------
is_available() {
  [[ -n "$(apt-cache show --no-all-versions "$1" 2>/dev/null)" ]]
}

# Without a terminal, sudo cannot ask for a password.
may_sudo() {
  command -v sudo >/dev/null && { [[ -t 0 ]] || sudo -n true 2>/dev/null; }
}

# Prints the entries that no installed package fulfils. Calls dpkg-query only once, since every run
# of every script calls this, and usually nothing is missing.
missing_entries() {
  local entry name names=() installed fulfilled
  for entry in "$@"; do
    IFS='|' read -ra alternatives <<<"${entry%\?}"
    names+=("${alternatives[@]}")
  done
  installed=" $(dpkg-query -W -f='${db:Status-Status}:${Package} ' "${names[@]}" 2>/dev/null ||
    true)"
  for entry in "$@"; do
    IFS='|' read -ra alternatives <<<"${entry%\?}"
    fulfilled=no
    for name in "${alternatives[@]}"; do
      [[ "$installed" != *" installed:$name "* ]] || fulfilled=yes
    done
    [[ $fulfilled == yes ]] || printf '%s\n' "$entry"
  done
}

# Prints the packages to install for the entries, as this distribution names them.
resolve_entries() {
  local entry name chosen
  for entry in "$@"; do
    IFS='|' read -ra alternatives <<<"${entry%\?}"
    chosen=""
    for name in "${alternatives[@]}"; do
      if [[ -z "$chosen" ]] && is_available "$name"; then
        chosen="$name"
      fi
    done
    # A required name that is unknown is left to apt, whose error message is the best.
    [[ -n "$chosen" || "$entry" == *\? ]] || chosen="${alternatives[0]}"
    [[ -z "$chosen" ]] || printf '%s\n' "$chosen"
  done
}

only_optional() {
  local entry
  for entry in "$@"; do
    [[ "$entry" == *\? ]] || return 1
  done
}

explain_requirements() {
  cat <<END
$program: no apt on this system, so nothing is installed for you. What is needed:
  a C++20 compiler, CMake 3.22 or newer, Ninja, Kokkos 3.4 or newer (-DKokkos_ROOT=<prefix> or the
  variable Kokkos_ROOT names one), MPI, GoogleTest, CLI11, nlohmann-json and Google Benchmark
END
  local command
  for command in cmake ninja "${CXX:-c++}"; do
    command -v "$command" >/dev/null || die "$command is missing, and nothing works without it"
  done
}

# ensure_packages ENTRY...: installs the missing packages. Returns at once if there are none.
ensure_packages() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    explain_requirements
    return 0
  fi
  local entry wanted=() missing names as_root=()
  for entry in "$@"; do
    # A user who names a Kokkos wants to use that Kokkos.
    [[ -n "${Kokkos_ROOT:-}" && "$entry" == *kokkos* ]] || wanted+=("$entry")
  done
  mapfile -t missing < <(missing_entries "${wanted[@]}")
  ((${#missing[@]} > 0)) || return 0
  if only_optional "${missing[@]}"; then
    mapfile -t names < <(resolve_entries "${missing[@]}")
    ((${#names[@]} > 0)) || return 0
  fi

  if ((EUID != 0)); then
    as_root=(sudo)
    if ! may_sudo; then
      mapfile -t names < <(resolve_entries "${missing[@]}")
      printf '%s: packages are missing, and installing them needs root. Run as root:\n' "$program"
      printf '  apt-get update && apt-get install -y --no-install-recommends %s\n' "${names[*]}"
      exit 1
    fi
    sudo -v  # asks for the password here, where the user sees the question
  fi
  local logs="$checkout/build/log"
  run_stage "apt update" "$logs/apt-update.log" \
    "${as_root[@]}" apt-get -o Acquire::Retries=3 update
  mapfile -t names < <(resolve_entries "${missing[@]}")  # a bare system needs the update first
  ((${#names[@]} > 0)) || return 0
  run_stage "apt install" "$logs/apt-install.log" \
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -o Acquire::Retries=3 install -y --no-install-recommends "${names[@]}"
}

# --- Machine --------------------------------------------------------------------------------------
# nproc obeys OMP_NUM_THREADS. That variable is for the tests, not for the compilers.
default_jobs() {
  env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc
}

# --- CMake ----------------------------------------------------------------------------------------
# A build directory contains absolute paths. If it was moved or copied with its checkout, it would
# build the original tree.
check_build_directory() {
  local directory="$1" cache="$1/CMakeCache.txt" source
  [[ -f "$cache" ]] || return 0
  source="$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$cache")"
  [[ "$source" -ef "$checkout" ]] || die "$directory was configured for the sources in $source." \
    "Remove it, and run this again: rm -rf '$directory'"
}

configure_afresh() {
  local directory="$1"
  shift
  rm -rf "$directory/CMakeCache.txt" "$directory/CMakeFiles"
  cmake -S "$checkout" -B "$directory" -G Ninja "$@"
}

# configure DIRECTORY ARGUMENT...: runs CMake only if the arguments differ from the last ones.
# Otherwise Ninja runs CMake when a file has changed. After a change or a failure, configuration
# starts with an empty cache, so it remembers no earlier search result.
configure() {
  local directory="$1" stamp="$1/.configured-with" options
  shift
  check_build_directory "$directory"
  options="$(printf '%s\n' "CXX=${CXX:-}" "CXXFLAGS=${CXXFLAGS:-}" "LDFLAGS=${LDFLAGS:-}" \
    "Kokkos_ROOT=${Kokkos_ROOT:-}" "CMAKE_PREFIX_PATH=${CMAKE_PREFIX_PATH:-}" "$@")"
  if [[ -f "$stamp" && -f "$directory/build.ninja" && "$(<"$stamp")" == "$options" ]]; then
    return 0
  fi
  rm -f "$stamp"
  run_stage configure "$directory/log/configure.log" configure_afresh "$directory" "$@"
  printf '%s\n' "$options" >"$stamp"
}

# --- MPI ------------------------------------------------------------------------------------------
# By default Open MPI refuses to run as root, or with more processes than cores. Each major version
# has another variable for the number of processes, and the newest warns about the older ones. All
# processes of a test run on this machine, so Open MPI need not search for networks, which takes up
# to a second at every start. Other MPIs ignore all these variables.
export_mpi_environment() {
  local version shared_memory=sm
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  version="$(mpirun --version 2>/dev/null |
    sed -n 's/^mpirun (Open MPI) \([0-9]*\).*/\1/p' || true)"
  case "$version" in
    "") ;;
    [1-4])
      export OMPI_MCA_rmaps_base_oversubscribe=1
      shared_memory=vader
      ;;
    5) export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe ;;
    *) export PRTE_MCA_mapby=:oversubscribe ;;
  esac
  export OMPI_MCA_pml="${OMPI_MCA_pml:-ob1}" OMPI_MCA_btl="${OMPI_MCA_btl:-self,$shared_memory}"
}
