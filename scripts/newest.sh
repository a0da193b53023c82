# shellcheck shell=bash
# The newest toolchain: a temporary root directory with Debian sid, in which scripts/test runs
# again. Source this after common.sh. Everything here needs root.

: "${checkout:?}"  # from common.sh

newest_packages=(g++ cmake ninja-build ccache libkokkos-dev libopenmpi-dev openmpi-bin
  libeigen3-dev libspdlog-dev libgtest-dev libbenchmark-dev libcli11-dev nlohmann-json3-dev
  gdb git ca-certificates)

newest_root="${EVENKEEL_NEWEST_ROOT:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/evenkeel/newest}"

# --- The Debian mirror of this machine ------------------------------------------------------------
# Prints the first mirror in apt's own sources that serves a release of Debian itself. Such a source
# has one of the given suites by its exact name, unlike the security archive and third-party
# archives.
mirror_in_deb822() {
  local suites="$1"
  shift
  awk -v suites="$suites" '
    function has(list, word) { return index(" " list " ", " " word " ") > 0 }
    function finish(    i, n, name) {
      n = split(suites, name, " ")
      for (i = 1; i <= n; ++i)
        if (uri != "" && !off && has(types, "deb") && has(served, name[i])) { print uri; exit }
      uri = types = served = ""; off = 0
    }
    FNR == 1 { finish() }
    /^[ \t]*$/ { finish(); next }
    /^#/ { next }
    { key = tolower($1); value = $0; sub(/^[^ \t]*[ \t]+/, "", value) }
    key == "types:" { types = value }
    key == "uris:" { uri = $2 }
    key == "suites:" { served = value }
    key == "enabled:" { off = tolower($2) == "no" }
    END { finish() }' "$@" | head -n 1
}

mirror_in_one_line() {
  local suites="$1"
  shift
  awk -v suites="$suites" '
    $1 != "deb" { next }
    { sub(/\[[^]]*\]/, ""); if (index(" " suites " ", " " $3 " ") > 0) print $2 }' "$@" | head -n 1
}

debian_mirror() {
  if [[ -n "${EVENKEEL_DEBIAN_MIRROR:-}" ]]; then
    printf '%s\n' "$EVENKEEL_DEBIAN_MIRROR"
    return 0
  fi
  local id codename suites mirror="" files=()
  id="$(. /etc/os-release && printf '%s' "${ID:-}")"
  codename="$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")"
  [[ "$id" == debian ]] || die "this is not Debian, so its apt sources name no mirror of Debian." \
    "Name one in the variable EVENKEEL_DEBIAN_MIRROR."
  suites="$codename stable testing unstable sid oldstable"
  shopt -s nullglob
  files=(/etc/apt/sources.list.d/*.sources)
  ((${#files[@]} == 0)) || mirror="$(mirror_in_deb822 "$suites" "${files[@]}")"
  files=(/etc/apt/sources.lis[t] /etc/apt/sources.list.d/*.list)
  [[ -n "$mirror" ]] || ((${#files[@]} == 0)) ||
    mirror="$(mirror_in_one_line "$suites" "${files[@]}")"
  shopt -u nullglob
  if [[ "$mirror" == mirror+file:* ]]; then  # a file with one mirror per line
    mirror="$(awk '!/^#/ && NF { print $1; exit }' "${mirror#mirror+file:}")"
  fi
  [[ -n "$mirror" ]] || die "found no Debian mirror in apt's sources." \
    "Name one in the variable EVENKEEL_DEBIAN_MIRROR."
  printf '%s\n' "$mirror"
}

# --- Making a root --------------------------------------------------------------------------------
root_is_current() {
  local root="$1"
  shift
  grep -qxF "packages: $*" "$root/.evenkeel-root" 2>/dev/null
}

# make_root ROOT PACKAGE...: makes the root under another name, and renames it when it is complete.
# So an interrupted run leaves no partial root, and if an archive is broken, the previous root
# remains.
make_root() {
  local root="$1" mirror proxy="" partial="$1.partial" options=() list
  shift
  mirror="$(debian_mirror)"
  list="$(IFS=,; printf '%s' "$*")"
  eval "$(apt-config shell proxy Acquire::http::Proxy)"
  [[ -z "$proxy" ]] || options+=(--aptopt="Acquire::http::Proxy \"$proxy\"")
  rm -rf --one-file-system "$partial"
  run_stage "make root" "$checkout/build/log/$(basename "$root")-root.log" \
    mmdebstrap --variant=apt --include="$list" --aptopt='Acquire::Check-Valid-Until "false"' \
    --aptopt='Acquire::Retries "3"' "${options[@]}" sid "$partial" "$mirror"
  printf '%s\n' "packages: $*" "made: $(date -u +%F)" >"$partial/.evenkeel-root"
  rm -rf --one-file-system "$root"
  mv "$partial" "$root"
}

# ensure_root REFRESH ROOT PACKAGE...: leaves file descriptor 9 open with a shared lock on the root.
# While this run, or a process that it started, uses the root, no other run of the script replaces
# it.
ensure_root() {
  local refresh="$1" root="$2"
  shift
  mkdir -p "$(dirname "$root")"
  exec 9>"$root.lock"
  flock --shared 9
  if [[ "$refresh" == yes ]] || ! root_is_current "$@"; then
    flock --exclusive 9
    if [[ "$refresh" == yes ]] || ! root_is_current "$@"; then  # another run may have made it
      make_root "$@"
    fi
    flock --shared 9
  fi
}

describe_root() {
  sed -n 's/^made: //p' "$1/.evenkeel-root"
}

# --- Running in it --------------------------------------------------------------------------------
# Runs in its own mount namespace, so all mounts end with the last process in it.
run_in_newest_root() {
  local status=0
  unshare --mount --propagation unchanged true 2>/dev/null ||
    die "--toolchain newest needs the right to mount (unshare --mount), which this machine denies"
  trap tidy_up_after_newest EXIT
  # shellcheck disable=SC2016  # expanded by the inner shell
  unshare --mount --propagation unchanged bash -c '
    set -euo pipefail
    program=scripts/test
    source "$1/scripts/common.sh"
    source "$1/scripts/newest.sh"
    shift
    enter_newest_root "$@"' bash "$checkout" "$@" || status=$?
  return "$status"
}

tidy_up_after_newest() {
  # A mount is left only by a run in a chroot whose mounts are shared; see enter_newest_root.
  ! mountpoint -q "$newest_root" || umount --lazy "$newest_root"
  if [[ -n "${SUDO_UID:-}" ]]; then  # the user who called sudo owns the build
    chown -R "$SUDO_UID:${SUDO_GID:-$SUDO_UID}" "$checkout/build"
  fi
}

enter_newest_root() {
  local root="$newest_root"
  mkdir -p "$root/evenkeel" "$root/var/cache/ccache"
  # Mounts made here must not be visible outside. In a chroot, / is no mount, so its sharing cannot
  # be ended. Then the root becomes a mount itself, and all other mounts are below it.
  if ! mount --make-rprivate / 2>/dev/null; then
    mount --bind "$root" "$root"
    mount --make-private "$root"
  fi
  mount --bind "$checkout" "$root/evenkeel"
  # A container may forbid a new mount of proc, but still allow a bind mount of its own.
  mount -t proc proc "$root/proc" 2>/dev/null || hand_on /proc
  hand_on /sys
  hand_on /dev
  if ! mountpoint -q "$root/dev/shm"; then
    mkdir -p "$root/dev/shm"
    mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
  fi
  mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
  # Kokkos gets two threads, so that it runs in parallel. They are not bound to cores, since
  # processes share these.
  # shellcheck disable=SC2016
  exec chroot "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    CCACHE_DIR=/var/cache/ccache OMP_NUM_THREADS=2 OMP_PROC_BIND=false \
    bash -c 'cd /evenkeel && exec scripts/test "$@"' bash --inside-newest "$@"
}

hand_on() {
  mount --rbind "$1" "$newest_root$1"
  mount --make-rslave "$newest_root$1"
}
