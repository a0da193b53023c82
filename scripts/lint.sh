# shellcheck shell=bash
# The checks of scripts/test --lint: format of all C++ files, width of all others, words of comments
# and pages, clang-tidy on changed files. Source this after common.sh.

: "${checkout:?}" "${program:?}"  # from common.sh

cpp_files() {
  git -C "$checkout" ls-files --cached --others --exclude-standard -- '*.cpp' '*.hpp' |
    existing_files
}

existing_files() {
  local file
  while IFS= read -r file; do
    [[ ! -f "$checkout/$file" ]] || printf '%s\n' "$file"
  done | sort -u
}

# The newest commit that is at least six hours older than HEAD. An earlier run has checked its
# changes.
default_base() {
  local seconds
  seconds="$(git -C "$checkout" log -1 --format=%ct 2>/dev/null)" || return 0
  git -C "$checkout" rev-list -1 --before="@$((seconds - 21600))" HEAD
}

# All C++ files that differ from the base, committed or not. If there is no base, or the checks
# themselves changed, all C++ files.
changed_files() {
  local base="$1"
  if [[ -z "$base" ]] || ! git -C "$checkout" diff --quiet "$base" -- .clang-tidy; then
    cpp_files
    return 0
  fi
  {
    git -C "$checkout" diff --name-only "$base" -- '*.cpp' '*.hpp'
    git -C "$checkout" ls-files --others --exclude-standard -- '*.cpp' '*.hpp'
  } | existing_files
}

# The source through which clang-tidy sees a header: the source of the same name, or else the first
# one of its component or of the tests that includes it. One is enough, since most sources include
# some headers.
source_including() {
  local header="$1" component="${1%%/*}" path pattern found name
  case "$header" in
    */include/*) path="${header#*/include/}" ;;
    */internal/*) path="${header#*/internal/}" ;;
    */src/*) path="${header#*/src/}" ;;
    *) path="${header##*/}" ;;
  esac
  for component in "$component" tests; do
    [[ -d "$checkout/$component" ]] || continue
    pattern="#include [<\"](.*/)?${path//./\\.}[>\"]"
    found="$(grep -rlE --include='*.cpp' "$pattern" "$checkout/$component" || true)"
    if [[ -n "$found" ]]; then
      name="${header##*/}"
      sort <<<"$found" | { grep -E "/${name%.hpp}(_test)?\.cpp\$" || sort <<<"$found"; } |
        sed -n 1p
      return 0
    fi
  done
}

# Reads file names. Prints the full names of the sources to tidy, which are all in the build.
sources_to_tidy() {
  local directory="$1" file
  while IFS= read -r file; do
    case "$file" in
      *.hpp) source_including "$file" ;;
      *) printf '%s\n' "$checkout/$file" ;;
    esac
  done | { grep -v "^$checkout/tests/compile/" || true; } | sort -u |  # those must not compile
    comm -12 - <(sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$directory/compile_commands.json" |
      sort -u)
}

check_format() {
  cpp_files | sed "s|^|$checkout/|" |
    xargs -r -d '\n' clang-format --style=file --dry-run -Werror
}

# clang-format checks C++. The lines of all other text files must also end by column 100.
check_columns() {
  git -C "$checkout" ls-files --cached --others --exclude-standard -- \
    '*.md' '*.cmake' '*.cmake.in' '*CMakeLists.txt' '*.py' '*.css' scripts .ci '*.json' |
    existing_files |
    (cd "$checkout" && LC_ALL=C.UTF-8 xargs -r -d '\n' grep -nHE '^.{101,}') && return 1
  return 0
}

# Comments and pages must be plain English.
check_words() {
  (cd "$checkout" && python3 scripts/words)
}

# Prints the findings of each process in one piece, without its counts of suppressed warnings.
check_tidy() {
  local directory="$1" jobs="$2" list="$3"
  # shellcheck disable=SC2016
  xargs -r -d '\n' -n 1 -P "$jobs" bash -c '
    noise="^[0-9]+ warnings? (generated|treated)|^Suppressed [0-9]+|^Use -header-filter"
    if ! output="$(clang-tidy -p "$0" --quiet --warnings-as-errors="*" \
        --extra-arg=-Wno-unknown-warning-option "$1" 2>&1)"; then
      grep -vE "$noise" <<<"$output"
      exit 1
    fi' "$directory" <"$list"
}

# run_lint BASE MOST JOBS
run_lint() {
  local base="$1" most="$2" jobs="$3" directory="$checkout/build/lint" failed=0 compiler=g++
  local since list all
  git -C "$checkout" rev-parse --git-dir >/dev/null || die "--lint needs a git checkout"
  if [[ -z "$base" ]]; then
    base="$(default_base)"
  else
    git -C "$checkout" rev-parse -q --verify "$base^{commit}" >/dev/null ||
      die "--base: there is no commit $base"
  fi
  ! command -v clang++ >/dev/null || compiler=clang++
  export_mpi_environment
  # A Debug build with all assertions lets clang-tidy see their code, too.
  configure "$directory" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER="$compiler" \
    -DEVENKEEL_ASSERTIONS=collective -DEVENKEEL_WARNINGS_AS_ERRORS=ON -DEVENKEEL_BUILD_BENCH=ON \
    -DEVENKEEL_PRECOMPILED_HEADERS=OFF -DCMAKE_UNITY_BUILD=OFF
  list="$directory/log/tidy-files"
  mkdir -p "${list%/*}"
  all="$list"
  changed_files "$base" | sources_to_tidy "$directory" >"$all"
  if [[ -n "$most" ]]; then
    list+="-drawn"
    draw_lines "$most" "$all" >"$list"
  fi

  run_stage clang-format "$directory/log/format.log" check_format || failed=1
  run_stage columns "$directory/log/columns.log" check_columns || failed=1
  run_stage words "$directory/log/words.log" check_words || failed=1
  run_stage clang-tidy "$directory/log/tidy.log" check_tidy "$directory" "$jobs" "$list" || failed=1
  since="of all"
  [[ -z "$base" ]] || since="changed since $(git -C "$checkout" rev-parse --short "$base")"
  ((failed == 0)) || die "lint: failed"
  printf '%s: lint: format of %s, clang-tidy on %d of %s (%s)\n' "$program" \
    "$(count_of "$(cpp_files | wc -l)" file)" "$(wc -l <"$list")" \
    "$(count_of "$(wc -l <"$all")" source)" "$since"
}
