"""Reads public headers: what each declares for users, and what its comments say.

Not a C++ parser. It relies on what clang-format and the house style give: a comment stands on the
lines before what it describes, or behind it on the same line; declarations without a blank line
between them share the comment of the first. Bodies of functions, private members and namespaces
`detail` are left out.
"""

import re
from dataclasses import dataclass, field
from typing import Callable, Iterator, List, Optional, Set

import cpp_text
from cpp_text import layout, matching, one_line
from source import Comment, Directive, Source


@dataclass
class Declaration:
    kind: str  # class, struct, union, enum, enumerator, concept, function, variable, type, macro
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

    @property
    def plain_name(self) -> str:
        """Without the arguments of a specialisation."""
        return re.sub(r"<.*", "", self.name)


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


@dataclass
class _Piece:
    """Where a declaration is, and what surrounds it."""

    begin: int
    end: int
    body: Optional[int]
    plain: str  # code without `template <...>` in front
    scope: str
    owner: Optional[Declaration]


_IGNORED = re.compile(r"(static_assert|extern\s+template|using\s+namespace|friend\s+(class|struct)|"
                      r"template\s+class|template\s+struct)\b")
_CLASS = re.compile(r"(class|struct|union)\s+(?:alignas\([^)]*\)\s*)?"
                    r"((?:[\w:]+)(?:\s*<.*?>)?)\s*(?:final\s*)?(?=[:{;]|$)", re.S)
_ACCESS = re.compile(r"(public|private|protected)\s*:(?!:)")


class _Reader:
    def __init__(self, text: str, include: str, source: str):
        self.source = Source(text)
        self.header = Header(include, source, "", [], [])
        self.intro: Set[int] = set()  # where its comments begin
        self.macros: Set[str] = set()

    def read(self) -> Header:
        text = self.source.text
        self.header.includes = re.findall(r"^#include <(evenkeel/[^>]+)>", text, re.M)
        self._read_intro()
        self.header.entries = self._scope(0, len(text), "", None)
        return self.header

    def _read_intro(self) -> None:
        """The comments behind `#pragma once`, and nothing but blank lines between them."""
        at = self.source.text.find("#pragma once") + len("#pragma once")
        for comment in self.source.comments:
            if not comment.is_alone or self.source.text[at:comment.begin].strip():
                return
            self.header.intro += ("\n\n" if self.header.intro else "") + comment.text
            self.intro.add(comment.begin)
            at = comment.end

    # --- Walking through a scope -----------------------------------------------------------------
    def _scope(self, begin: int, end: int, scope: str,
               owner: Optional[Declaration]) -> List[Entry]:
        entries: List[Entry] = []
        access = "private" if owner is not None and owner.kind == "class" else "public"
        last_end = None
        for item_begin, item_end, item in self._items(begin, end):
            if isinstance(item, str):
                access, last_end = item, None
            elif isinstance(item, Comment):
                if access == "public" and item.begin not in self.intro:
                    entries.append(self._comment_alone(item))
            else:
                if access == "public":
                    self._read_item(entries, item_begin, item_end, item, scope, owner, last_end)
                last_end = item_end
        return [e for e in entries if e.declarations or e.comment]

    def _items(self, begin: int, end: int) -> Iterator:
        """(begin, end, item): the name of an access, a comment that stands for itself, a directive
        that defines a macro, or nothing for a declaration."""
        aside = sorted(
            [c for c in self.source.comments if c.is_alone and begin <= c.begin < end]
            + [d for d in self.source.directives
               if begin <= d.begin < end and re.match(r"#\s*define\s+EVENKEEL_", d.text)],
            key=lambda item: item.begin)
        code, at = self.source.code, begin
        while True:
            while at < end and code[at].isspace():
                while aside and aside[0].begin <= at:
                    item = aside.pop(0)
                    if isinstance(item, Directive) or not self.source.is_above_code(item, end):
                        yield item.begin, item.end, item
                at += 1
            if at >= end:
                return
            label = _ACCESS.match(code, at)
            if label:
                yield at, label.end(), label.group(1)
                at = label.end()
                continue
            stop = cpp_text.end_of_declaration(code, at, end)[0]
            yield at, stop, None
            at = max(stop, at + 1)
            aside = [a for a in aside if a.begin >= at]

    def _read_item(self, entries, begin, end, item, scope, owner, last_end) -> None:
        if isinstance(item, Directive):
            declaration = self._macro(item)
        else:
            nested = self._namespace(begin, end, scope)
            if nested is not None:
                entries += nested
                return
            declaration = self._declaration(begin, end, scope, owner)
        if declaration is not None:
            self._add(entries, declaration, begin, last_end)

    def _comment_alone(self, comment: Comment) -> Entry:
        text = re.sub(r"^-{3} (.*?) ?-*$", r"=\1", comment.text)  # a rule with a title
        return Entry(text, [], self.source.line(comment.begin))

    def _add(self, entries: List[Entry], declaration: Declaration, begin: int,
             last_end: Optional[int]) -> None:
        """A declaration joins the one above it, if that has a comment for both or neither has any;
        classes and enums stand for themselves."""
        comment = self.source.comment_above(begin)
        is_below = not comment and bool(entries) and last_end is not None and (
            self.source.is_directly_below(last_end, begin))
        if is_below and entries[-1].declarations:
            last = entries[-1].declarations[-1]
            have_own = (last.trailing or declaration.trailing) and not entries[-1].comment
            are_alike = last.kind == declaration.kind or not (last.entries or declaration.entries)
            if are_alike and not have_own:
                entries[-1].declarations.append(declaration)
                return
        entries.append(Entry(comment, [declaration], self.source.line(begin), is_below))

    # --- One declaration -------------------------------------------------------------------------
    def _macro(self, directive: Directive) -> Optional[Declaration]:
        match = re.match(r"#\s*define\s+(\w+)(\([^)]*\))?\s*(.*)", directive.text)
        name, parameters, value = match.groups()
        if name in self.macros:
            return None  # defined otherwise before
        self.macros.add(name)
        code = f"#define {name}{parameters or ''}"
        if not parameters and "@" in value:
            code += "  // by CMake"
        return Declaration("macro", name, "", code, self.source.line(directive.begin))

    def _namespace(self, begin: int, end: int, scope: str) -> Optional[List[Entry]]:
        match = re.match(r"(?:inline\s+)?namespace\s*([\w:]*)\s*(=|\{)",
                         self.source.code[begin:end])
        if not match:
            return None
        name = match.group(1)
        if match.group(2) == "=" or not name or "detail" in name.split("::"):
            return []
        inner = f"{scope}::{name}" if scope else name
        return self._scope(begin + match.end(), end - 1, inner, None)

    def _declaration(self, begin: int, end: int, scope: str,
                     owner: Optional[Declaration]) -> Optional[Declaration]:
        code = self.source.code
        plain = cpp_text.without_export(cpp_text.without_template(code[begin:end]))
        if _IGNORED.match(plain) or not plain.strip(" ;"):
            return None
        if scope.startswith("Kokkos") or scope == "std":
            return None  # specialisations of others' templates
        body = cpp_text.end_of_declaration(code, begin, end)[1]
        piece = _Piece(begin, end, body, plain, scope, owner)
        if _CLASS.match(plain):
            declaration = self._class(piece)
        elif re.match(r"enum\s", plain) and body is not None:
            declaration = self._enum(piece)
        elif re.match(r"concept\s|using\s", plain):
            declaration = self._alias(piece)
        elif cpp_text.parameters_at(plain) is not None:
            declaration = self._function(piece)
        else:
            declaration = self._variable(piece)
        if declaration is not None:
            declaration.condition = self.source.condition_at(begin)
        return declaration

    def _code_of(self, begin: int, end: int) -> str:
        return layout(self.source.without_comments(begin, end).rstrip("; \n"))

    def _class(self, piece: _Piece) -> Optional[Declaration]:
        kind, name = _CLASS.match(piece.plain).groups()
        name, line = one_line(name), self.source.line(piece.begin)
        behind = self.source.comment_behind(piece.begin, piece.body or piece.end)
        code = self._code_of(piece.begin, piece.body or piece.end)
        declaration = Declaration(kind, name, piece.scope, code, line, behind)
        if piece.body is None:  # of interest only where a template is meant for users to specialise
            is_template = "<" in self.source.code[piece.begin:piece.end]
            is_described = behind or self.source.comment_above(piece.begin)
            return declaration if is_template and is_described else None
        close = matching(self.source.code, piece.body)
        inner = declaration.full_name
        if name.startswith(piece.scope + "::"):
            inner = name
        declaration.entries = self._scope(piece.body + 1, close - 1, inner, declaration)
        if "\n" not in self.source.text[piece.body:close]:
            declaration.trailing = self.source.comment_behind(close, piece.end)
        _say_routine(declaration)
        return declaration

    def _enum(self, piece: _Piece) -> Declaration:
        code = self.source.code
        name = re.match(r"enum\s+(?:class\s+|struct\s+)?(\w+)", piece.plain).group(1)
        close = matching(code, piece.body)
        declaration = Declaration(
            "enum", name, piece.scope, self._code_of(piece.begin, piece.body),
            self.source.line(piece.begin), self.source.comment_behind(close, piece.end))
        at = piece.body + 1
        while at < close - 1:
            stop = at
            while stop < close - 1 and code[stop] != ",":
                stop = matching(code, stop) if code[stop] in "([{" else stop + 1
            if code[at:stop].strip():
                self._enumerator(declaration, at, stop, close)
            at = stop + 1
        return declaration

    def _enumerator(self, owner: Declaration, begin: int, stop: int, close: int) -> None:
        code = self.source.code
        while code[begin].isspace():
            begin += 1
        text = one_line(self.source.without_comments(begin, stop))
        line_end = self.source.text.find("\n", stop)
        is_last_of_line = not (line_end < close and code[stop + 1:line_end].strip())
        behind = self.source.comment_behind(begin, min(stop, close)) if is_last_of_line else ""
        item = Declaration("enumerator", re.match(r"\w+", text).group(), owner.full_name, text,
                           self.source.line(begin), behind)
        comment = self.source.comment_above(begin)
        last = owner.entries[-1].declarations[-1] if owner.entries else None
        if last and last.line == item.line and not (comment or behind or last.trailing):
            owner.entries[-1].declarations.append(item)
        else:
            owner.entries.append(Entry(comment, [item], item.line))

    def _alias(self, piece: _Piece) -> Declaration:
        word, name = re.match(r"(concept|using)\s+([\w:]+)", piece.plain).groups()
        return Declaration("concept" if word == "concept" else "type", name.split("::")[-1],
                           piece.scope, self._code_of(piece.begin, piece.end),
                           self.source.line(piece.begin),
                           self.source.comment_behind(piece.begin, piece.end))

    def _variable(self, piece: _Piece) -> Declaration:
        line = self.source.line(piece.begin)
        names = cpp_text.declared_names(piece.plain)
        if not names:
            raise ValueError(f"{self.header.source}:{line}: what is declared here?")
        code = self._code_of(piece.begin, piece.end)
        if len(code) > 300:
            code = re.sub(r"\s*=.*", " = ...", code, flags=re.S)
        return Declaration("variable", names[0], piece.scope, code, line,
                           self.source.comment_behind(piece.begin, piece.end), others=names[1:])

    def _function(self, piece: _Piece) -> Optional[Declaration]:
        before = piece.plain[:cpp_text.parameters_at(piece.plain)]
        name = cpp_text.function_name(before)
        if piece.owner is None and re.search(rf"\w(<[^()]*>)?::{re.escape(name)}\s*$", before):
            return None  # a member, defined behind its class
        stop = piece.end if piece.body is None else piece.body
        # Members that a constructor initialises are no business of users.
        colon = re.search(r"\)\s*(noexcept\s*)?:(?!:)",
                          cpp_text.outside_brackets(self.source.code[piece.begin:stop]))
        head = stop if colon is None else piece.begin + colon.end() - 1
        code = self._code_of(piece.begin, head)
        code = re.sub(r"^(\[\[nodiscard\]\])\n", r"\1 ", code)
        code = re.sub(r"^(friend|inline)\s+", "", code, flags=re.M)
        return Declaration("function", name, piece.scope, code, self.source.line(piece.begin),
                           self.source.comment_behind(piece.begin, stop),
                           is_routine=_is_routine(name, code, piece.owner))


def _is_routine(name: str, code: str, owner: Optional[Declaration]) -> bool:
    if name.startswith("~") or "= delete" in code or (
            re.fullmatch(r"operator\s*(=|==|<=>|!=)", name)):
        return True
    if owner is None or name != owner.plain_name:
        return False
    is_copy_or_move = re.search(rf"\((const )?{re.escape(name)}(<.*>)?(&&|&)\s*\w*\)", code)
    is_default = re.search(r"\(\)\s*(noexcept\s*)?(= default)?$", code)
    return bool(is_copy_or_move or is_default)


def _say_routine(owner: Declaration) -> None:
    """Routine members that no comment describes become a few words about the class."""
    codes: List[str] = []
    for entry in owner.entries:
        is_about_them = entry.comment and entry.declarations and entry.declarations[0].is_routine
        said = [d for d in entry.declarations
                if d.is_routine and not d.trailing and not is_about_them]
        codes += [d.code for d in said]
        entry.declarations = [d for d in entry.declarations if d not in said]
    owner.entries = [e for e in owner.entries if e.declarations or e.comment]

    name = re.escape(owner.plain_name)

    def has(pattern: str) -> bool:
        return any(re.match(pattern, code) for code in codes)

    if has(rf"{name}\({name}(<.*>)?&&(?!.*delete)") and (
            not has(rf"{name}\(const {name}(<.*>)?&(?!.*delete)")):
        owner.traits.append("Can be moved, not copied.")
    elif has(rf"{name}\(const {name}(<.*>)?&.*delete"):
        owner.traits.append("Neither copied nor moved.")
    if any("operator<=>" in code for code in codes):
        owner.traits.append("Compares by == and <.")
    elif any("operator==" in code for code in codes):
        owner.traits.append("Compares by ==.")


# --- What others ask for -------------------------------------------------------------------------
def read_header(path: str, include: str, source: str) -> Header:
    with open(path, encoding="utf-8") as file:
        return read_text(file.read(), include, source)


def read_text(text: str, include: str, source: str) -> Header:
    return _Reader(text, include, source).read()


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

    for declaration in _missing(header.entries, is_described_elsewhere):
        yield f"{header.source}:{declaration.line}: {declaration.full_name}"


def _missing(entries: List[Entry],
             is_excused: Callable[[Declaration], bool]) -> Iterator[Declaration]:
    described: Set[str] = set()
    missing: List[Declaration] = []
    was_described = False
    for entry in entries:
        was_described = bool(entry.comment) or any(d.trailing for d in entry.declarations) or (
            entry.is_below_another and was_described)
        for declaration in entry.declarations:
            if was_described or declaration.is_routine or is_excused(declaration):
                described.add(declaration.name)
            else:
                missing.append(declaration)
            if "<" not in declaration.name:
                yield from _missing(declaration.entries, _speaks_by_its_name)
    yield from (d for d in missing if d.name not in described)


def _speaks_by_its_name(member: Declaration) -> bool:
    if member.kind in ("variable", "enumerator", "type"):
        return True
    return member.kind == "function" and (
        "()" in member.code or member.name.startswith("operator"))
