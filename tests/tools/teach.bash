# What the program teaches: completion in bash, the manual page, examples in the help of commands.
# Given: the program.
set -euo pipefail
program="$1"
evenkeel() { "$program" "$@"; }
directory="$(mktemp -d)"
trap 'rm -rf "$directory"' EXIT
cd "$directory"
touch here.npy

fail() {
  printf 'teach.bash: %s\n' "$*" >&2
  exit 1
}

# completes LINE WORD...: what bash offers where LINE ends.
source <(evenkeel completion bash)
completes() {
  local line="$1" current=""
  shift
  read -ra COMP_WORDS <<<"$line"
  [[ "$line" != *" " ]] || COMP_WORDS+=("")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _evenkeel
  [[ "${COMPREPLY[*]}" == "$*" ]] || fail "'$line' completes to '${COMPREPLY[*]}', not '$*'"
}
completes "evenkeel par" partition
completes "evenkeel partition --eff" --effort
completes "evenkeel partition --effort " polish fast good
completes "evenkeel partition --method st" staggered
completes "evenkeel partition --points h" here.npy
completes "evenkeel partition --parts "
completes "evenkeel completion " bash fish zsh
completes "evenkeel nonsense "

# Every command and option is in the manual page and in what the other shells read.
manual="$(evenkeel manual)"
fish="$(evenkeel completion fish)"
zsh="$(evenkeel completion zsh)"
[[ "$manual" == .TH* ]] || fail "the manual page begins with ${manual%%$'\n'*}"
commands="$(evenkeel --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')"
[[ "$commands" == *partition* ]] || fail "no commands in the help"
for command in $commands; do
  help="$(evenkeel "$command" --help)"
  [[ "$manual" == *".SS evenkeel $command"* ]] || fail "the manual page lacks $command"
  [[ "$fish" == *"-a $command "* && "$zsh" == *"'$command:"* ]] || fail "shells lack $command"
  for option in $(sed -n 's/^  \(-h,\)\?--\([a-z-]*\).*/\2/p' <<<"$help"); do
    [[ "$manual" == *"\\fB\\-\\-${option//-/\\-}\\fR"* ]] ||
      fail "the manual page lacks --$option of $command"
    [[ "$fish" == *"from $command' -l $option "* ]] || fail "fish lacks --$option of $command"
    [[ "$zsh" == *"'--$option["* ]] || fail "zsh lacks --$option of $command"
  done

  # Each example is understood: what is missing is its files.
  examples="$(sed -n '/^Examples:/,$s/^  evenkeel \([^|>]*\)$/\1/p' <<<"$help")"
  [[ "$help" == *"Examples:"* ]] || fail "the help of $command has no examples"
  while read -r example; do
    [[ -n "$example" ]] || continue
    [[ "$command" != control ]] || example+=" --wait 0"  # there is no run that would take it
    complaint="$(eval "evenkeel $example" 2>&1 >/dev/null || true)"
    [[ "$complaint" != *"See evenkeel --help"* ]] || fail "evenkeel $example: $complaint"
    [[ -z "$complaint" || "$complaint" == *"cannot be read"* ]] ||
      fail "evenkeel $example: $complaint"
  done <<<"$examples"
done

# Where they are, the programs that read all this say what they think of it.
if command -v man >/dev/null; then
  complaint="$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z \
    <(printf '%s\n' "$manual") 2>&1 >/dev/null || true)"
  [[ -z "$complaint" ]] || fail "man: $complaint"
fi
if command -v zsh >/dev/null; then zsh -n <(printf '%s\n' "$zsh"); fi
if command -v fish >/dev/null; then fish --no-execute <(printf '%s\n' "$fish"); fi
