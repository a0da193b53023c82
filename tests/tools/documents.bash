# Checks commands of the program in pages: the program must have each command, and the command must
# have each option. Each command's help ends with examples, which the program must accept.
# Arguments: the program, the checkout.
set -euo pipefail
program="$1"
cd "$2"

fail() {
  printf 'documents.bash: %s\n' "$*" >&2
  exit 1
}

declare -A help=()
known=" $("$program" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | tr '\n' ' ')"
[[ "$known" == *" partition "* ]] || fail "no commands in the help"

# A line that ends with a backslash continues in the next one. `evenkeel` is the program if a
# command that it knows follows, or in code any word.
checked=0
while IFS=: read -r file rest; do
  read -ra words <<<"${rest//[\`|()<>,;]/ }"
  command="${words[1]:-}"
  if [[ "$known" != *" $command "* ]]; then
    [[ "$rest" != *" --"* ]] || fail "$file: evenkeel has no command $command: $rest"
    continue
  fi
  [[ -n "${help[$command]:-}" ]] || help[$command]="$("$program" "$command" --help)"
  for word in "${words[@]:2}"; do
    option="${word%%=*}"
    [[ "$option" =~ ^--[a-z][a-z-]*$ ]] || continue
    grep -qE -- "(^|[ ,])$option( |\$|,)" <<<"${help[$command]}" ||
      fail "$file: evenkeel $command has no $option: $rest"
    checked=$((checked + 1))
  done
done < <(for file in README.md */README.md docs/*.md docs/howto/*.md; do
  [[ ! -f "$file" ]] || sed -e ':a' -e '/\\$/N; s/\\\n/ /; ta' "$file" |
    grep -oE '(^|[^a-z./_-])evenkeel [a-z]+( [^`|;&#>]*)?' | sed "s|^[^e]*|$file:|" || true
done)
((checked >= 20)) || fail "only $checked options were found in all pages"

directory="$(mktemp -d)"
trap 'rm -rf "$directory"' EXIT
cd "$directory"
for command in $known; do
  shown="$("$program" "$command" --help)"
  [[ "$shown" == *"Examples:"* ]] || fail "the help of $command has no examples"
  while read -r example; do
    [[ -n "$example" ]] || continue
    [[ "$command" != control ]] || example+=" --wait 0"  # no run takes it
    complaint="$(eval "'$program' $example" 2>&1 >/dev/null || true)"
    [[ -z "$complaint" || "$complaint" == *"cannot be read"* ]] ||  # the file is missing
      fail "evenkeel $example: $complaint"
  done < <(sed -n '/^Examples:/,$s/^  evenkeel \([^|>]*\)$/\1/p' <<<"$shown")
done
