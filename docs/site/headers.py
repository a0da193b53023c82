"""Reads public headers: what each declares for users, and what its comments say.

Not a C++ parser. It relies on what clang-format and the house style give: a comment stands on the
lines before what it describes, or behind it on the same line; declarations without a blank line
between them share the comment of the first. Bodies of functions, private members and namespaces
`detail` are left out.
"""

import re
from dataclasses import dataclass, field
from typing import Iterator, List, Optional, Set


@dataclass
class Declaration:
    kind: str  # class, struct, enum, enumerator, concept, function, variable, type, macro
    name: str  # without its scope
    scope: str  # "evenkeel", "evenkeel::Balancer", ...; empty for macros
    code: str  # as users should read it
    line: int
    trailing: str = ""  # the comment behind it
    condition: str = ""  # of the preprocessor
    is_routine: bool = False  # copies, moves, comparisons by default, destructors
    entries: List["Entry"] = field(default_factory=list)  # of classes and enums
    traits: List[str] = field(default_factory=list)  # said of a class instead of routine members
    others: List[str] = field(default_factory=list)  # names that are declared along with it

    @property
    def full_name(self) -> str:
        return f"{self.scope}::{self.name}" if self.scope else self.name


@dataclass
class Entry:
    """A comment and the declarations that it describes; none of these for a comment alone."""

    comment: str
    declarations: List[Declaration]
    line: int
    is_below_another: bool = False  # without a blank line between them


@dataclass
class Header:
    include: str  # evenkeel/core/curve.hpp
    source: str  # relative to the checkout
    intro: str
    entries: List[Entry]
    includes: List[str]


# --- Text ----------------------------------------------------------------------------------------
@dataclass
class Comment:
    begin: int
    end: int
    text: str
    is_alone: bool  # nothing else on its lines


_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<d>[^(\s]*)\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"|'
    r"(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'|^[ \t]*\#(?:\\\n|[^\n])*",
    re.S | re.M,
)


class Source:
    """The text of a header, and the same text with all but code blanked out."""

    def __init__(self, text: str):
        self.text = text
        self.comments: List[Comment] = []
        self.directives = []
        code = list(text)
        for match in _TOKEN.finditer(text):
            begin, end = match.span()
            word = match.group()
            if word.startswith("//"):
                self._add_comment(begin, end, word)
            elif word.lstrip().startswith("#"):
                self.directives.append((begin, end, word.strip()))
            keep = word.startswith(('"', "'", "R"))
            for i in range(begin, end):
                if code[i] != "\n":
                    code[i] = "~" if keep else " "
        self.code = "".join(code)

    def _add_comment(self, begin: int, end: int, word: str) -> None:
        start = self.text.rfind("\n", 0, begin) + 1
        is_alone = not self.text[start:begin].strip()
        text = word[2:]
        last = self.comments[-1] if self.comments else None
        column = begin - start
        if last and is_alone and not self.text[last.end:begin].strip() and (
                self.text.count("\n", last.end, begin) == 1):
            at = last.begin - (self.text.rfind("\n", 0, last.begin) + 1)
            if at == column:  # goes on
                last.text += "\n" + text
                last.end = end
                return
        self.comments.append(Comment(begin, end, text, is_alone))

    def line(self, at: int) -> int:
        return self.text.count("\n", 0, at) + 1


def _plain(comment: str) -> str:
    lines = [line[1:] if line.startswith(" ") else line for line in comment.split("\n")]
    return "\n".join(line.rstrip() for line in lines).strip("\n")


# --- Declarations --------------------------------------------------------------------------------
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def _matching(code: str, at: int) -> int:
    """The position behind the bracket that closes the one at `at`."""
    stack = []
    for i in range(at, len(code)):
        c = code[i]
        if c in _CLOSING:
            stack.append(_CLOSING[c])
        elif c in ")]}":
            if not stack or stack.pop() != c:
                raise ValueError(f"unbalanced '{c}' at {i}")
            if not stack:
                return i + 1
    raise ValueError(f"'{code[at]}' at {at} is not closed")


def _end_of_declaration(code: str, at: int, end: int):
    """(end, body): the position behind the declaration, and where its body begins, if any."""
    body = None
    i = at
    while i < end:
        c = code[i]
        if c == ";":
            return i + 1, body
        if c in "([":
            i = _matching(code, i)
            continue
        if c == "{":
            before = code[at:i].rstrip()
            close = _matching(code, i)
            after = code[close:end].lstrip()[:1]
            is_part = _ends_in_requirement(before)
            if not is_part and "=" in _outside_brackets(_strip_template(before)) and (
                    "operator" not in before):
                is_part = True  # or rather the value of a variable
            if not is_part and body is None:
                body = i
            if re.match(r"(inline\s+)?namespace\b", code[at:i]):
                return close, body
            if not is_part and after not in (";", ",", "{", "&", "|", ")", "."):
                return close, body
            i = close
            continue
        if c == "}":
            return i, body
        i += 1
    return end, body


def _ends_in_requirement(before: str) -> bool:
    """Whether a brace behind it opens requirements: `requires {` or `requires(T t) {`."""
    if before.endswith(")"):
        depth = 0
        for i in range(len(before) - 1, -1, -1):
            depth += (before[i] == ")") - (before[i] == "(")
            if depth == 0:
                before = before[:i].rstrip()
                break
    return re.search(r"\brequires$", before) is not None


def _strip_template(code: str) -> str:
    """The declaration without `template <...>` and requires-clauses in front."""
    text = code.strip()
    while True:
        if text.startswith("[["):
            text = text[text.index("]]") + 2:].lstrip()
        elif re.match(r"template\s*<", text):
            depth, i = 0, text.index("<")
            while True:
                c = text[i]
                if c == "(":
                    i = _matching(text, i)
                    continue
                depth += c == "<"
                depth -= c == ">"
                i += 1
                if depth == 0:
                    break
            text = text[i:].lstrip()
        elif re.match(r"requires\b", text):
            rest = text[len("requires"):].lstrip()
            if rest.startswith("("):
                text = rest[_matching(rest, 0):].lstrip()
            else:
                text = re.sub(r"^[\w:]+(<[^<>]*(<[^<>]*>)?[^<>]*>)?\s*", "", rest)
            text = re.sub(r"^(&&|\|\|)\s*", "requires ", text)
        else:
            return text


def _without_macros(text: str) -> str:
    return re.sub(r"\bEVENKEEL_API\s*", "", text)


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _layout(code: str) -> str:
    """One line, but for `template <...>` and requires-clauses, which get lines of their own."""
    text = _one_line(_without_macros(code))
    rest = _strip_template(text)
    head = text[:len(text) - len(rest)].strip()
    head = re.sub(r"\s+(requires\b)", r"\n\1", head)
    return f"{head}\n{rest}" if head else rest


def _function_name(before_parameters: str) -> Optional[str]:
    match = re.search(r"(operator\s*(?:\(\)|\[\]|[^\s\w(]+|[\w:\s&*<>]+?)|~?[A-Za-z_]\w*)\s*$",
                      before_parameters)
    return _one_line(match.group(1)) if match else None


class Reader:
    def __init__(self, text: str, include: str, source: str):
        self.source = Source(text)
        self.header = Header(include, source, "", [], [])
        self.used = set()  # comments that have found what they describe
        self.macros = set()

    def read(self) -> Header:
        text = self.source.text
        self.header.includes = re.findall(r"^#include <(evenkeel/[^>]+)>", text, re.M)
        first = next((c for c in self.source.comments if c.is_alone), None)
        directives = [d for d in self.source.directives if "pragma once" in d[2]]
        if first and directives and text[directives[0][1]:first.begin].strip() == "":
            self.header.intro = _plain(first.text)
            self.used.add(id(first))
            self._join_intro(first)
        self.header.entries = self._scope(0, len(text), "", None)
        return self.header

    def _join_intro(self, last: Comment) -> None:
        """Paragraphs of a head that are separated by blank lines and not by `//`."""
        for comment in self.source.comments:
            if comment.begin <= last.end or id(comment) in self.used:
                continue
            between = self.source.text[last.end:comment.begin]
            if between.strip() or not comment.is_alone:
                return
            self.header.intro += "\n\n" + _plain(comment.text)
            self.used.add(id(comment))
            last = comment

    # A scope is walked from item to item: comments, directives, declarations.
    def _scope(self, begin: int, end: int, scope: str, owner: Optional[Declaration]):
        entries: List[Entry] = []
        access = "public" if owner is None or owner.kind != "class" else "private"
        at = begin
        previous_end = None
        for kind, item_begin, item_end, item in self._items(begin, end):
            if kind == "access":
                access = item
                previous_end = None
                continue
            if kind == "comment":
                if access == "public" and id(item) not in self.used:
                    self._standalone(entries, item)
                continue
            if kind == "macro":
                self._add(entries, self._macro(item_begin, item), item_begin, previous_end)
                previous_end = item_end
                continue
            if access != "public":
                previous_end = item_end
                continue
            nested = self._namespace(item_begin, item_end, scope)
            if nested is not None:
                entries += nested
                previous_end = item_end
                continue
            declarations = self._declarations(item_begin, item_end, item, scope, owner)
            if declarations:
                for declaration in declarations:
                    self._add(entries, declaration, item_begin, previous_end)
            elif self._is_joined(previous_end, item_begin):
                pass
            previous_end = item_end
        return [e for e in entries if e.declarations or e.comment]

    def _items(self, begin: int, end: int) -> Iterator:
        code, i = self.source.code, begin
        aside = sorted(
            [(c.begin, c.end, "comment", c) for c in self.source.comments if c.is_alone]
            + [(b, e, "macro", w) for b, e, w in self.source.directives
               if re.match(r"#\s*define\s+EVENKEEL_", w)],
            key=lambda item: item[0])
        aside = [a for a in aside if begin <= a[0] < end]
        while True:
            while i < end and code[i].isspace():
                while aside and aside[0][0] <= i:
                    b, e, kind, item = aside.pop(0)
                    if not self._describes_next(kind, e, end):
                        yield kind, b, e, item
                i += 1
            if i >= end:
                return
            label = re.compile(r"(public|private|protected)\s*:(?!:)").match(code, i)
            if label:
                yield "access", i, label.end(), label.group(1)
                i = label.end()
                continue
            stop, body = _end_of_declaration(code, i, end)
            yield "declaration", i, stop, body
            i = max(stop, i + 1)
            aside = [a for a in aside if a[0] >= i]

    def _describes_next(self, kind: str, comment_end: int, end: int) -> bool:
        """Whether a comment stands on the line before code."""
        if kind != "comment":
            return False
        after = self.source.text[comment_end:end]
        gap = after[:len(after) - len(after.lstrip())]
        after = re.sub(r"\A\n(#if[^\n]*\n)+", "\n", after)
        is_code = after.strip() and not after.lstrip().startswith(("//", "#", "}"))
        return gap.count("\n") == 1 and bool(is_code)

    def _standalone(self, entries: List[Entry], comment: Comment) -> None:
        text = _plain(comment.text)
        text = re.sub(r"^-{3} (.*?) ?-*$", r"=\1", text)  # a rule with a title
        self.used.add(id(comment))
        entries.append(Entry(text, [], self.source.line(comment.begin)))

    def _is_joined(self, previous_end: Optional[int], begin: int) -> bool:
        if previous_end is None:
            return False
        between = self.source.text[previous_end:begin]
        return "\n\n" not in between and not re.search(r"^\s*//", between, re.M)

    def _leading(self, begin: int) -> str:
        start = self.source.text.rfind("\n", 0, begin) + 1
        for comment in self.source.comments:
            if comment.is_alone and comment.end < begin and (
                    self.source.text[comment.end:start].strip() == "") and (
                    self.source.text.count("\n", comment.end, begin) == 1):
                self.used.add(id(comment))
                return _plain(comment.text)
        # `#if` may stand between a comment and what it describes.
        match = re.search(r"(?:^[ \t]*//[^\n]*\n)+(?:#if[^\n]*\n)+\Z", self.source.text[:start],
                          re.M)
        if match:
            lines = [line.strip()[2:] for line in match.group().split("\n")
                     if line.strip().startswith("//")]
            return _plain("\n".join(lines))
        return ""

    def _trailing(self, begin: int, end: int) -> str:
        """The comments behind the lines of a declaration."""
        stop = self.source.text.find("\n", end)
        found = []
        for comment in self.source.comments:
            if not comment.is_alone and begin <= comment.begin and comment.begin < stop:
                found.append(_plain(comment.text).strip())
        return re.sub(r"NOLINT\S*( .*)?", "", _one_line(" ".join(found))).strip()

    def _condition(self, begin: int) -> str:
        stack = []
        for at, _, word in self.source.directives:
            if at >= begin:
                break
            word = re.sub(r"\\\n\s*", "", word)
            if re.match(r"#\s*if", word):
                stack.append(re.sub(r"^#\s*(ifdef|ifndef|if)\s+", "", word))
            elif re.match(r"#\s*el", word) and stack:
                stack[-1] = f"not {stack[-1]}"
            elif re.match(r"#\s*endif", word) and stack:
                stack.pop()
        return " and ".join(stack)

    def _add(self, entries, declaration, begin, previous_end) -> None:
        if declaration is None:
            return
        comment = self._leading(begin)
        line = self.source.line(begin)
        if not comment and entries and entries[-1].declarations and (
                self._is_joined(previous_end, begin)):
            last = entries[-1].declarations[-1]
            are_alone = bool(last.trailing or declaration.trailing) and not entries[-1].comment
            if are_alone:
                pass
            elif last.kind == declaration.kind or not (last.entries or declaration.entries):
                entries[-1].declarations.append(declaration)
                return
        is_below = not comment and bool(entries) and self._is_joined(previous_end, begin)
        entries.append(Entry(comment, [declaration], line, is_below))

    # --- One declaration -------------------------------------------------------------------------
    def _macro(self, begin: int, word: str) -> Optional[Declaration]:
        word = re.sub(r"\s*\\\n\s*", " ", word)
        match = re.match(r"#\s*define\s+(\w+)(\([^)]*\))?\s*(.*)", word)
        name = match.group(1)
        if name in self.macros:
            return None
        self.macros.add(name)
        code = f"#define {name}{match.group(2) or ''}"
        if not match.group(2) and "@" in match.group(3):
            code += "  // by CMake"
        return Declaration("macro", name, "", code, self.source.line(begin),
                           condition="")

    def _namespace(self, begin: int, end: int, scope: str) -> Optional[List[Entry]]:
        code = self.source.code[begin:end]
        match = re.match(r"(?:inline\s+)?namespace\s*([\w:]*)\s*(=|\{)", code)
        if not match:
            return None
        name = match.group(1)
        if match.group(2) == "=" or not name or "detail" in name.split("::"):
            return []
        inner = f"{scope}::{name}" if scope else name
        return self._scope(begin + match.end(), end - 1, inner, None)

    def _declarations(self, begin, end, body, scope, owner) -> List[Declaration]:
        code = self.source.code[begin:end]
        plain = _without_macros(_strip_template(code))
        if re.match(r"(static_assert|extern\s+template|using\s+namespace|friend\s+(class|struct)|"
                    r"template\s+class|template\s+struct)\b", plain) or not plain.strip(" ;"):
            return []
        if scope.startswith("Kokkos") or scope == "std":
            return []  # specialisations for others' templates
        declaration = self._class(begin, end, body, plain, scope)
        if declaration == []:
            return []
        declaration = (declaration or self._enum(begin, end, body, plain, scope)
                       or self._other(begin, end, body, plain, scope, owner))
        if declaration == []:
            return []
        declaration.condition = self._condition(begin)
        return [declaration]

    def _text(self, begin: int, end: int) -> str:
        """The text without its comments."""
        parts, at = [], begin
        for comment in self.source.comments:
            if begin <= comment.begin < end:
                parts.append(self.source.text[at:comment.begin])
                at = comment.end
        parts.append(self.source.text[at:end])
        return re.sub(r"^[ \t]*#[^\n]*\n", "", "".join(parts), flags=re.M)

    def _class(self, begin, end, body, plain, scope):
        match = re.match(r"(class|struct|union)\s+(?:alignas\([^)]*\)\s*)?"
                         r"((?:[\w:]+)(?:\s*<.*?>)?)\s*(?:final\s*)?(?=[:{;]|$)", plain, re.S)
        if not match:
            return None
        kind, name = match.group(1), _one_line(match.group(2))
        line = self.source.line(begin)
        if body is None:
            code_before = self.source.code[begin:end]
            described = self._leading(begin) or self._trailing(begin, end)
            if not described or not plain.startswith(match.group()) or "<" not in code_before:
                return []  # declared in advance
            return Declaration(kind, name, scope, _layout(self._text(begin, end).rstrip("; \n")),
                               line, self._trailing(begin, end))
        head = self._text(begin, body).rstrip()
        declaration = Declaration(kind, name, scope, _layout(head), line)
        inner = name if name.startswith(scope + "::") else f"{scope}::{name}" if scope else name
        close = _matching(self.source.code, body)
        declaration.entries = self._scope(body + 1, close - 1, inner, declaration)
        self._say_routine(declaration)
        if not self.source.text[body:close].count("\n"):
            declaration.trailing = self._trailing(close, end)
        else:
            declaration.trailing = self._trailing(begin, body)
        return declaration

    def _say_routine(self, owner: Declaration) -> None:
        """Routine members that no comment describes become a few words about the class."""
        codes = []
        entries = []
        for entry in owner.entries:
            said = [d for d in entry.declarations if d.is_routine and not d.trailing]
            if said and len(said) == len(entry.declarations) and not entry.comment:
                codes += [d.code for d in said]
                continue
            if not entry.comment or (entry.declarations and not entry.declarations[0].is_routine):
                codes += [d.code for d in said]
                entry.declarations = [d for d in entry.declarations if d not in said]
            if entry.declarations or entry.comment:
                entries.append(entry)
        owner.entries = entries
        name = re.sub(r"<.*", "", owner.name)
        moves = any(re.match(rf"{name}\({name}(<.*>)?&&", c) and "delete" not in c for c in codes)
        copies = any(re.match(rf"{name}\(const {name}(<.*>)?&", c) and "delete" not in c
                     for c in codes)
        no_copies = any(re.match(rf"{name}\(const {name}(<.*>)?&.*delete", c) for c in codes)
        if moves and not copies:
            owner.traits.append("Can be moved, not copied.")
        elif no_copies:
            owner.traits.append("Neither copied nor moved.")
        if any("operator<=>" in c for c in codes):
            owner.traits.append("Compares by == and <.")
        elif any("operator==" in c for c in codes):
            owner.traits.append("Compares by ==.")

    def _enum(self, begin, end, body, plain, scope):
        match = re.match(r"enum\s+(class\s+|struct\s+)?(\w+)", plain)
        if not match or body is None:
            return None
        head = _one_line(self._text(begin, body))
        declaration = Declaration("enum", match.group(2), scope, _without_macros(head),
                                  self.source.line(begin))
        inner = f"{scope}::{match.group(2)}"
        close = _matching(self.source.code, body)
        at = body + 1
        while at < close - 1:
            stop = at
            while stop < close - 1 and self.source.code[stop] != ",":
                stop = (_matching(self.source.code, stop) if self.source.code[stop] in "([{"
                        else stop + 1)
            if self.source.code[at:stop].strip():
                self._enumerator(declaration, inner, at, stop, close)
            at = stop + 1
        declaration.trailing = self._trailing(close, end)
        return declaration

    def _enumerator(self, owner, scope, begin, stop, close) -> None:
        code = self.source.code
        while code[begin].isspace():
            begin += 1
        text = _one_line(self._text(begin, stop))
        name = re.match(r"\w+", text).group()
        line_end = self.source.text.find("\n", stop)
        others = code[stop + 1:line_end].strip() if line_end < close else ""
        trailing = ""
        if not others:
            trailing = self._trailing(begin, min(stop, close))
        item = Declaration("enumerator", name, scope, text, self.source.line(begin), trailing)
        comment = self._leading(begin)
        if not comment and owner.entries and not trailing and not (
                owner.entries[-1].declarations[-1].trailing) and (
                code.count("\n", 0, begin) == owner.entries[-1].declarations[-1].line - 1):
            owner.entries[-1].declarations.append(item)
        else:
            owner.entries.append(Entry(comment, [item], item.line))

    def _other(self, begin, end, body, plain, scope, owner):
        line = self.source.line(begin)
        trailing = self._trailing(begin, body if body else end)
        whole = _layout(self._text(begin, end).rstrip().rstrip(";"))
        match = re.match(r"concept\s+(\w+)", plain)
        if match:
            return Declaration("concept", match.group(1), scope, whole, line, trailing)
        match = re.match(r"using\s+([\w:]+)\s*(=|;)", plain)
        if match:
            return Declaration("type", match.group(1).split("::")[-1], scope, whole, line, trailing)
        is_pointer = re.search(r"\(\s*\*\s*\w+\s*\)\s*\(", plain)
        function = None if is_pointer else self._function(begin, end, body, plain, scope, owner, line)
        if function is not None:
            return function
        names = _declared_names(plain)
        if not names:
            raise ValueError(f"{self.header.include}:{line}: what is declared here?")
        if len(whole) > 300:
            whole = re.sub(r"\s*=.*", " = ...", whole, flags=re.S)
        declaration = Declaration("variable", names[0], scope, whole, line,
                                  self._trailing(begin, end))
        declaration.others = names[1:]
        return declaration

    def _function(self, begin, end, body, plain, scope, owner, line):
        parameters = _parameters_at(plain)
        if parameters is None:
            return None
        name = _function_name(plain[:parameters])
        if name is None:
            return None
        if owner is None and re.search(rf"\w(<[^()]*>)?::{re.escape(name)}\s*$", plain[:parameters]):
            return []  # a member, defined behind its class
        close = _matching(plain, parameters)
        if owner is not None and "friend" not in plain.split("(")[0] and (
                re.match(rf"\s*(constexpr\s+|explicit\s+|KOKKOS_\w+\s+)*{re.escape(name)}\s*$",
                         plain[:parameters]) is None) and not (
                name.startswith(("operator", "~")) or " " in plain[:parameters].strip()):
            return None
        stop = body if body is not None and plain.rstrip()[-1:] == "}" else end
        text = self._text(begin, stop).rstrip().rstrip(";").rstrip()
        # Members that a constructor initialises are no business of users.
        masked = self.source.code[begin:stop]
        colon = re.search(r"\)\s*(noexcept\s*)?:(?!:)", _outside_brackets(masked, keep_ends=True))
        if colon:
            text = self._text(begin, begin + colon.end() - 1).rstrip()
        code = _layout(text)
        code = re.sub(r"^(\[\[nodiscard\]\])\n", r"\1 ", code)
        code = re.sub(r"^(friend|inline)\s+", "", code, flags=re.M)
        outer = scope
        is_routine = bool(
            name.startswith("~") or "= delete" in code
            or (name.startswith("operator") and re.match(r"operator\s*(=|==|<=>|!=)$", name))
            or (owner is not None and name == re.sub(r"<.*", "", owner.name)
                and re.search(rf"\((const )?{re.escape(name)}(<.*>)?(&&|&)\s*\w*\)", code))
            or (owner is not None and name == re.sub(r"<.*", "", owner.name)
                and re.search(r"\(\)\s*(noexcept\s*)?(= default)?$", code)))
        return Declaration("function", name, outer, code, line,
                           self._trailing(begin, (body or end) if body else end), "", is_routine)


def _declared_names(plain: str) -> List[str]:
    """Of `int a = 1, b[3];` a and b."""
    pointer = re.search(r"\(\s*\*\s*(\w+)\s*\)", plain)
    if pointer:
        return [pointer.group(1)]
    text = plain.rstrip("; \n")
    for opening, closing in ("()", "{}", "[]"):
        pattern = re.compile(rf"\{opening}[^\{opening}\{closing}]*\{closing}")
        while pattern.search(text):
            text = pattern.sub(" ", text)
    while re.search(r"<[^<>=]*>", text):
        text = re.sub(r"<[^<>=]*>", " ", text)
    names = []
    for part in text.split(","):
        match = re.search(r"(\w+)\s*$", part.split("=")[0].split(" : ")[0])
        if match:
            names.append(match.group(1))
    return names


def _outside_brackets(code: str, keep_ends: bool = False) -> str:
    """The same length, with what is in brackets blanked out."""
    out, depth = [], 0
    for c in code:
        if c in ")]}":
            depth -= 1
        out.append(c if depth == 0 or (keep_ends and depth == 0) else " ")
        if c in "([{":
            depth += 1
    return "".join(out)


def _parameters_at(plain: str) -> Optional[int]:
    """Where the parameters of a function begin; nothing for variables."""
    angle = 0
    match = re.search(r"\boperator\s*\(\)\s*\(", plain)
    if match:
        return match.end() - 1
    i = 0
    while i < len(plain):
        c = plain[i]
        if plain.startswith("operator", i) and re.match(r"operator\s*(\[\]|[<>=!+\-*/]+)", plain[i:]):
            i += len(re.match(r"operator\s*(\[\]|[<>=!+\-*/]+)", plain[i:]).group())
            continue
        if c == "<":
            angle += 1
        elif c == ">" and plain[i - 1] != "-":
            angle -= 1
        elif c == "(" and angle > 0:
            i = _matching(plain, i)
            continue
        elif c == "(":
            if re.search(r"\b(requires|decltype|noexcept|alignas|explicit)\s*$", plain[:i]):
                i = _matching(plain, i)
                continue
            return i
        elif angle == 0 and (c in "={;["):
            return None
        i += 1
    return None


def read_header(path: str, include: str, source: str) -> Header:
    with open(path, encoding="utf-8") as file:
        return Reader(file.read(), include, source).read()


def page_of(include: str) -> str:
    """The document of the site that shows a header."""
    return "reference/" + re.sub(r"^evenkeel/|\.hpp$", "", include)


def anchor_of(name: str) -> str:
    """Where a name is on the page of its header."""
    return re.sub(r"[^\w.~=<>+\-*/!\[\]()]", "", name.replace("::", "."))


def first_sentence(text: str) -> str:
    text = text.split("\n\n")[0].split("\n  ")[0].replace("\n", " ")
    match = re.match(r"(.*?[.:])(?= [A-Z]|$)", text)
    return (match.group(1) if match else text).rstrip(".:")


def all_declarations(entries: List[Entry]) -> Iterator[Declaration]:
    for entry in entries:
        for declaration in entry.declarations:
            yield declaration
            yield from all_declarations(declaration.entries)


def undocumented(header: Header) -> Iterator[str]:
    """The names that no comment describes, as FILE:LINE: NAME.

    A comment counts for all that stands directly below it, and for all overloads in its scope. The
    head of a file describes what it names and the class that has the name of the file, and a
    template its specialisations. Operators speak for themselves, and members without parameters by
    their names.
    """
    stem = header.include.rsplit("/", 1)[-1].split(".")[0].replace("_", "")

    def is_described_elsewhere(declaration: Declaration) -> bool:
        if re.search(rf"\b{re.escape(declaration.name)}\b", header.intro):
            return True
        return declaration.kind in ("class", "struct") and (
            "<" in declaration.name or (bool(header.intro) and declaration.name.lower() == stem))

    yield from _undocumented(header.entries, header, is_described_elsewhere)


def _undocumented(entries: List[Entry], header: Header, is_excused) -> Iterator[str]:
    described: Set[str] = set()
    missing: List[Declaration] = []
    was_described = False
    for entry in entries:
        is_described = bool(entry.comment) or any(d.trailing for d in entry.declarations) or (
            entry.is_below_another and was_described)
        was_described = is_described
        for declaration in entry.declarations:
            if is_described or declaration.is_routine or is_excused(declaration):
                described.add(declaration.name)
            else:
                missing.append(declaration)
            if "<" not in declaration.name:
                yield from _undocumented(declaration.entries, header, _speaks_by_its_name)
    for declaration in missing:
        if declaration.name not in described:
            yield f"{header.source}:{declaration.line}: {declaration.full_name}"


def _speaks_by_its_name(member: Declaration) -> bool:
    if member.kind in ("variable", "enumerator", "type"):
        return True
    return member.kind == "function" and (
        "()" in member.code or member.name.startswith("operator"))
