"""Public headers as Doxygen reads them: what each declares, the page that shows it, and the names
that no comment describes.

Doxygen gets each `//` that describes something as `/// @verbatim`: a comment describes what stands
directly below it, or behind it on the same line. Declarations without a blank line between them
share the comment of the first. Private members and namespaces `detail` are left out."""

import glob
import os
import re
import subprocess
import tempfile
import xml.etree.ElementTree as xml
from dataclasses import dataclass, field
from typing import Dict, Iterator, List, Optional, Set, Tuple

CONFIGURATION = """
EXTRACT_ALL = YES
EXCLUDE_SYMBOLS = *::detail *::detail::*
EXTENSION_MAPPING = in=C++
PREDEFINED = EVENKEEL_HAS_MPI=1
HAVE_DOT = NO
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
WARN_AS_ERROR = FAIL_ON_WARNINGS
QUIET = YES
INPUT = {paths}
OUTPUT_DIRECTORY = {folder}
"""


def for_doxygen(text: str) -> str:
    text = re.sub(r"\b(EVENKEEL_API|KOKKOS_(INLINE_)?FUNCTION) | *// NOLINT.*", "", text)
    text = re.sub(r"^(?! *[#}/])(.*[^\s{]  )// (.+)", r"\1///< @verbatim \2 @endverbatim", text,
                  flags=re.M)
    above = r"(?:^ *//(?! ---).*\n)+(?=(?:#if.*\n)*(?: *[^\s/#}]|#define))"
    return re.sub(above, lambda found: re.sub(
        r"^( *//)", r"\1/", found.group().rstrip("\n"), flags=re.M).replace(
            "///", "/// @verbatim", 1) + " @endverbatim\n", text, flags=re.M)


def escaped(text: str) -> str:
    return re.sub(r"([\\`*_<|\[\]])", r"\\\1", text)


def scope_of(name: str) -> str:
    return re.sub(r"(?<!operator)<.*", "", name).rpartition("::")[0]


@dataclass
class Declaration:
    kind: str  # as Doxygen names it: class, struct, concept, function, variable, enum, define, ...
    name: str  # with its scope
    code: str  # as users should read it
    lines: Tuple[int, int]  # the one with its name, and the last one of its body
    comment: str
    members: List["Declaration"] = field(default_factory=list)
    is_below_another: bool = False  # without a blank line or a comment between them
    has_comment_behind: bool = False

    @property
    def last_name(self) -> str:
        return re.sub("(?<!operator)<.*", "", self.name).rpartition("::")[2]

    @property
    def speaks_for_itself(self) -> bool:
        """As what copies, moves, compares or destroys."""
        return re.match(r"~|operator *(=|==|<=>|!=)$", self.last_name) is not None or (
            "=delete" in self.code.replace(" ", "")) or (
            re.search(rf"\b{self.last_name}::{self.last_name}$", self.name) is not None
            and re.search(rf"\(\)|\((const )?{self.last_name}\b[^,]*&\w*\)", self.code) is not None)


@dataclass
class Header:
    include: str
    source: str  # relative to the checkout
    text: str
    declarations: List[Declaration] = field(default_factory=list)

    @property
    def remarks(self) -> List[str]:
        """The comments that describe no declaration."""
        found = re.findall(r"^((?:^//(?! ---).*\n)+)\n", self.text, re.M)
        return [re.sub(r"^// ?", "", comment, flags=re.M).strip() for comment in found]

    @property
    def intro(self) -> str:
        """What the file holds."""
        head = re.split(r"^(?!//|#pragma|$)", self.text, 1, re.M)[0]
        return "\n\n".join(r for r in self.remarks if r.split("\n")[0] in head)


# --- What Doxygen says ---------------------------------------------------------------------------
def _text(element: xml.Element, child: str) -> str:
    found = element.find(child)
    return "" if found is None else " ".join("".join(found.itertext()).split())


def _comment(element: xml.Element) -> str:
    found = [text.text for part in ("briefdescription", "detaileddescription")
             for text in element.iterfind(f"{part}//verbatim")]
    return re.sub(r"^(?: *///)? ?", "", "\n".join(found), flags=re.M).strip("\n ")


def _template(element: xml.Element) -> str:
    shown = []
    for parameter in element.findall("templateparamlist/param"):
        words = f"{_text(parameter, 'type')} {_text(parameter, 'declname')}".strip()
        shown.append(" = ".join(filter(None, [words, _text(parameter, "defval")])))
    requires = _text(element, "requiresclause")
    return (f"template <{', '.join(shown)}>\n" if shown else "") + (
        f"requires {requires}\n" if requires else "")


def _code(element: xml.Element, name: str) -> str:
    kind, name = element.get("kind"), name[len(scope_of(name)):].removeprefix("::")
    if kind == "concept":
        code = "".join(element.find("initializer").itertext()).strip()
    elif kind == "define":
        names = [_text(parameter, "defname") for parameter in element.findall("param")]
        code = f"#define {name}" + (f"({', '.join(names)})" if names else "")
    elif kind == "enum":
        lines = [f"enum {'class ' if element.get('strong') == 'yes' else ''}{name} {{"]
        for value in element.findall("enumvalue"):
            said = " ".join(_comment(value).split())
            lines.append(f"  {_text(value, 'name')}," + (f"  // {said}" if said else ""))
        return "\n".join(lines + ["}"])
    elif kind in ("class", "struct", "union", "typedef"):
        code = _template(element) + (
            f"using {name} = {_text(element, 'type')}" if kind == "typedef" else f"{kind} {name}")
    else:
        words = [word for word in ("explicit", "static") if element.get(word) == "yes"]
        words += [_text(element, "type"), name + _text(element, "argsstring")]
        value = _text(element, "initializer")
        words += [value] if kind == "variable" and len(value) < 60 else []
        code = _template(element) + " ".join(word for word in words if word)
    for pattern, better in ((r"evenkeel::", ""), (r"< ", "<"), (" >", ">"), ("=  ", "= "),
                            (r" (&&?|\*)(?=[,)])", r"\1"), (r"(?<=[\w>]) ([&*]+) ?(?=\w)", r"\1 "),
                            (r"(?<=[\w)])=(?=[\w{\"'-])", " = ")):
        code = re.sub(pattern, better, code)
    return code


class Reference:
    """All public headers, by the name by which they are included."""

    def __init__(self, headers: List[Header]):
        self.headers = {header.include: header for header in headers}
        self._labels: Dict[str, str] = {}  # by full name
        self._by_last: Dict[str, List[str]] = {}  # full names
        with tempfile.TemporaryDirectory() as folder:
            self._by_path = {os.path.join(folder, header.source): header for header in headers}
            for path, header in self._by_path.items():
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(for_doxygen(header.text))
            subprocess.run(["doxygen", "-"], check=True, text=True, input=CONFIGURATION.format(
                folder=folder, paths=" ".join(self._by_path)))
            self._read([xml.parse(path).getroot().find("compounddef")
                        for path in glob.glob(os.path.join(folder, "xml", "*.xml"))
                        if re.match(r"class|struct|union|concept|namespace|.*_8hpp",
                                    os.path.basename(path))])

    def _read(self, compounds: List[xml.Element]) -> None:
        scopes: Dict[str, Optional[Declaration]] = {}  # namespaces and classes
        for compound in sorted(compounds, key=lambda one: len(_text(one, "compoundname"))):
            name, kind = _text(compound, "compoundname"), compound.get("kind")
            if kind == "namespace":
                scopes[name] = None
            elif kind != "file":
                if scope_of(name) not in scopes or compound.get("prot", "public") != "public":
                    continue
                scopes[name] = self._add(compound, name, scopes[scope_of(name)])
            for member in compound.findall("sectiondef/memberdef"):
                last = _text(member, "name")
                if kind == "file":  # namespaces have all but its macros
                    if member.get("kind") == "define" and last.startswith("EVENKEEL_"):
                        self._add(member, last, None)
                elif member.get("prot") == "public":
                    self._add(member, f"{name}::{last}", scopes[name])
        for header in self.headers.values():
            self._put_in_order(header, header.declarations)

    def _add(self, element: xml.Element, name: str, owner: Optional[Declaration]) -> Declaration:
        place = element.find("location")
        begin = int(place.get("declline") or place.get("line"))
        end = begin if place.get("declline") else int(place.get("bodyend") or -1)
        declaration = Declaration(element.get("kind"), name, _code(element, name),
                                  (begin, max(begin, end)), _comment(element))
        header = self._by_path.get(place.get("declfile") or place.get("file"))
        if owner is not None or (header is not None and not name.startswith(("std::", "Kokkos::"))):
            (owner.members if owner is not None else header.declarations).append(declaration)
        return declaration

    def _put_in_order(self, header: Header, declarations: List[Declaration]) -> None:
        declarations.sort(key=lambda one: one.lines)
        lines = header.text.split("\n")
        for before, one in zip(declarations, declarations[1:]):
            between = lines[before.lines[1]:one.lines[0]]
            one.is_below_another = not any(re.match(r" *(//|$)", line) for line in between)
        for one in declarations:
            one.has_comment_behind = "  //" in lines[one.lines[1] - 1]
            if re.fullmatch(r"[\w:]+", one.name) and one.name not in self._labels:
                label = re.sub("([A-Z])", r"-\1", "ek." + one.name.replace("::", ".")).lower()
                values = re.findall(r"^  (\w+),", one.code, re.M) if one.kind == "enum" else []
                for name in [one.name] + [f"{one.name}::{value}" for value in values]:
                    self._labels[name] = label  # which knows no capitals
                    self._by_last.setdefault(name.rpartition("::")[2], []).append(name)
            self._put_in_order(header, one.members)

    def find(self, name: str) -> Optional[str]:
        """The label of what a page or a comment calls `ek::name` or `name`."""
        name = re.sub(r"^ek::", "", name)
        found = [full for full in self._by_last.get(name.rpartition("::")[2], [])
                 if full.endswith("::" + name)]
        found = [full for full in found if full == "evenkeel::" + name] or found
        return self._labels[found[0]] if len(found) == 1 else None

    # --- Pages -----------------------------------------------------------------------------------
    def page(self, include: str) -> str:
        header = self.headers[include]
        remarks = [self.prose(remark) for remark in header.remarks]
        return "\n\n".join([f"# {re.sub('^evenkeel/', '', include)}", *remarks]) + (
            self._entries(header.declarations, "## ", set())) + "\n"

    def _entries(self, declarations: List[Declaration], level: str, shown: Set[str]) -> str:
        groups: List[List[Declaration]] = []
        for one in declarations:
            if groups and one.is_below_another and not (one.members or groups[-1][-1].members):
                groups[-1].append(one)
            else:
                groups.append([one])
        text = ""
        for group in groups:
            names = dict.fromkeys(one.last_name for one in group)
            text += f"\n\n{level}{escaped(', '.join(names))}" if level else ""
            labels = {self._labels[one.name] for one in group if one.name in self._labels} - shown
            shown |= labels
            text += "".join(f"\n\n({label})=" for label in sorted(labels))
            text += "\n\n```cpp\n" + "\n".join(one.code for one in group) + "\n```"
            for one in group:
                is_of_all = one is group[0] and not one.has_comment_behind or len(group) == 1
                about = "" if is_of_all else f"`{one.last_name}`: "
                text += f"\n\n{about}{self.prose(one.comment)}" if one.comment else ""
                text += self._entries(one.members, "", shown)
        return text

    def prose(self, comment: str) -> str:
        """In Markdown. Lines further to the right are code, unless they are in a list."""
        text, is_code, is_in_list = "", False, False
        for line in comment.split("\n"):
            is_in_list = bool(re.match(r" *- ", line)) or (is_in_list and line.startswith("  "))
            if not is_code and line.startswith("  ") and not is_in_list:
                text, is_code = text + "\n```text\n", True
            elif is_code and line and not line.startswith("  "):
                text, is_code = text.rstrip() + "\n```\n\n", False
            text += (line[2:] if is_code else self._linked(line)) + "\n"
        text = text.strip() + ("\n```" if is_code else "")
        return re.sub(r"```text(?=\n[^`]*(?:::|[{}]|\);\n))", "```cpp", text)

    def _linked(self, line: str) -> str:
        def shown(found) -> str:
            word = found.group()
            label = self.find(word.strip("`").partition("(")[0]) if len(word) > 1 else None
            word = word if word.startswith("`") else escaped(word)
            return f"[{word}]({label})" if label else word

        names = r"`[^`]+`|\b\w+(?:::\w+)+(?:\(\))?|\b\w+\(\)|\b(?:[A-Z][a-z]+){2,}\b"
        return re.sub(rf"{names}|.", shown, line)

    # --- Names without a comment -----------------------------------------------------------------
    def undocumented(self, header: Header) -> Iterator[str]:
        """As FILE:LINE: NAME. A comment counts for what stands directly below it, and for overloads
        in its scope; the head of a file for what it names and the class of the file's name."""
        stem = header.include.rpartition("/")[2].split(".")[0].replace("_", "")

        def missing(declarations: List[Declaration], are_members: bool) -> Iterator[Declaration]:
            described, lacking, was_described = set(), [], False
            for one in declarations:
                was_described = bool(one.comment) or one.is_below_another and was_described
                if are_members:
                    is_excused = one.kind in ("variable", "typedef") or "()" in one.code or (
                        one.last_name.startswith("operator"))
                else:
                    is_excused = "<" in one.name or bool(header.intro) and (
                        one.last_name.lower() == stem or
                        re.search(rf"\b{re.escape(one.last_name)}\b", header.intro) is not None)
                if was_described or one.speaks_for_itself or is_excused:
                    described.add(one.name)
                else:
                    lacking.append(one)
                was_described = was_described and not one.has_comment_behind
                yield from missing(one.members, True) if "<" not in one.name else ()
            yield from (one for one in lacking if one.name not in described)

        for one in missing(header.declarations, False):
            yield f"{header.source}:{one.lines[0]}: {one.name}"
