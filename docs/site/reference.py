"""Sphinx extension: the directive `header`, which makes a page of a public header, and the domain
`ek` of all names that headers declare: for links, for the search and for the index.
"""

import os
import re
import zlib
from typing import Dict, Iterator, List, Optional, Tuple

from docutils import nodes
from sphinx import addnodes
from sphinx.domains import Domain, ObjType
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

import headers

logger = logging.getLogger(__name__)

KEYWORDS = set(
    "alignas class concept const consteval constexpr decltype default delete enum explicit false "
    "friend inline mutable namespace noexcept nullptr operator private public requires sizeof "
    "static struct template this true typename union using virtual override final".split())
TYPES = set("auto bool char double float int long short signed unsigned void".split())
TOKEN = re.compile(
    r'"(?:\\.|[^"\\])*"'
    r"|operator\s*(?:\(\)|\[\]|[<>=!+\-*/]+)"
    r"|(?:::)?[A-Za-z_]\w*(?:::~?[A-Za-z_]\w*)*|~[A-Z]\w*"
    r"|\d[\w.']*|\s+|.")


class Names:
    """All names of all headers, and the pages on which they are."""

    def __init__(self) -> None:
        self.headers: Dict[str, headers.Header] = {}
        self.pages: Dict[str, Tuple[str, str, str]] = {}  # full name: document, anchor, kind
        self.by_last: Dict[str, List[str]] = {}

    def add(self, header: headers.Header) -> None:
        self.headers[header.include] = header
        document = headers.page_of(header.include)
        for declaration in headers.all_declarations(header.entries):
            for name in full_names(declaration):
                if name in self.pages:
                    continue
                self.pages[name] = (document, headers.anchor_of(name), declaration.kind)
                self.by_last.setdefault(last_part(name), []).append(name)

    def find(self, name: str, scope: str) -> Optional[str]:
        """The full name that `name` means in a scope."""
        name = re.sub(r"^(::)?(ek|evenkeel)::", "evenkeel::", name)
        while True:
            candidate = f"{scope}::{name}" if scope else name
            if candidate in self.pages:
                return candidate
            if not scope:
                break
            scope = scope.rpartition("::")[0]
        found = [n for n in self.by_last.get(last_part(name), []) if n.endswith("::" + name)]
        return found[0] if len(found) == 1 else None


def last_part(name: str) -> str:
    return re.sub(r"<.*", "", name).rpartition("::")[2]


def full_names(declaration: headers.Declaration) -> Iterator[str]:
    yield declaration.full_name
    for other in declaration.others:
        yield f"{declaration.scope}::{other}"




# --- From comments to nodes ----------------------------------------------------------------------
INLINE = re.compile(
    r"`(?P<code>[^`]+)`"
    r"|(?P<path>(?:docs/)?(?:[a-z_]+/)*[a-z_]+\.(?:md|hpp))\b"
    r"|(?P<name>(?:ek::|[A-Z]\w*(?:<[\w, ]+>)?::|[a-z_]+::)+~?\w+(?:\(\))?|[a-z]\w+\(\)"
    r"|[A-Z][a-z]+(?:[A-Z][a-z]*)+|(?<=[a-z,] )(?:[A-Z][a-z]+)\b"
    r"|EVENKEEL_\w+|MPI_\w+)")


class Describer:
    """Makes nodes of comments, with links where they name what has a page."""

    def __init__(self, names: Names, documents, scope: str, include: str):
        self.names, self.documents, self.scope, self.include = names, documents, scope, include

    def blocks(self, text: str) -> List[nodes.Node]:
        result: List[nodes.Node] = []
        paragraph: List[str] = []
        lines = text.split("\n")
        i = 0

        def end_paragraph() -> None:
            if paragraph:
                result.append(nodes.paragraph("", "", *self.inline(" ".join(paragraph))))
                paragraph.clear()

        while i < len(lines):
            line = lines[i]
            if re.match(r" *- ", line):
                end_paragraph()
                items, i = self._bullets(lines, i)
                result.append(items)
                continue
            if line.startswith("  "):
                end_paragraph()
                block = []
                while i < len(lines) and (lines[i].startswith("  ") or (
                        not lines[i] and i + 1 < len(lines) and lines[i + 1].startswith("  "))):
                    block.append(lines[i])
                    i += 1
                result.append(self._literal(block))
                continue
            if not line.strip():
                end_paragraph()
            else:
                paragraph.append(line.strip())
            i += 1
        end_paragraph()
        return result

    def _bullets(self, lines: List[str], i: int):
        items = nodes.bullet_list()
        indent = len(lines[i]) - len(lines[i].lstrip())
        while i < len(lines) and lines[i].startswith(" " * indent + "- "):
            words = [lines[i].strip()[2:]]
            i += 1
            while i < len(lines) and lines[i].startswith(" " * (indent + 2)) and lines[i].strip():
                words.append(lines[i].strip())
                i += 1
            items += nodes.list_item("", nodes.paragraph("", "", *self.inline(" ".join(words))))
        return items, i

    def _literal(self, block: List[str]) -> nodes.Node:
        margin = min(len(line) - len(line.lstrip()) for line in block if line)
        text = "\n".join(line[margin:] for line in block)
        is_code = re.search(r"::|[{}]|\)( const| noexcept)*;", text) is not None
        node = nodes.literal_block(text, text, language="cpp" if is_code else "text")
        node["force"] = True
        return node

    def inline(self, text: str) -> List[nodes.Node]:
        result: List[nodes.Node] = []
        at = 0
        for match in INLINE.finditer(text):
            node = self._inline_node(match)
            if node is None:
                continue
            result.append(nodes.Text(text[at:match.start()]))
            result.append(node)
            at = match.end()
        result.append(nodes.Text(text[at:]))
        return [n for n in result if n.astext()]

    def _inline_node(self, match) -> Optional[nodes.Node]:
        text = match.group("code") or match.group()
        literal = nodes.literal(text, text)
        if match.group("path"):
            return self._path(match.group("path"), literal)
        target = self.names.find(re.sub(r"\(.*", "", text), self.scope)
        if target is None:
            is_plain_word = re.fullmatch(r"[A-Z][a-z]+", text)
            return None if is_plain_word or not match.group("code") and "(" not in text and (
                "_" not in text and "::" not in text) else literal
        return reference_to(target, literal)

    def _path(self, path: str, literal: nodes.Node) -> Optional[nodes.Node]:
        if path.endswith(".md"):
            document = re.sub(r"^docs/|\.md$", "", path)
            if document not in self.documents:
                return None
            return document_reference(document, literal)
        folder = os.path.dirname(self.include)
        component = folder.split("/")[1] if "/" in folder else ""
        for candidate in (f"evenkeel/{path}", f"{folder}/{path}", f"evenkeel/{component}/{path}"):
            if candidate in self.names.headers:
                return document_reference(headers.page_of(candidate), literal)
        return None


def document_reference(document: str, content: nodes.Node) -> nodes.Node:
    return addnodes.pending_xref("", content, refdomain="std", reftype="doc",
                                 reftarget="/" + document, refexplicit=True, refwarn=True)


def reference_to(name: str, content: nodes.Node) -> nodes.Node:
    return addnodes.pending_xref("", content, refdomain="ek", reftype="name", reftarget=name,
                                 refwarn=True)


# --- From declarations to nodes ------------------------------------------------------------------
class HeaderDirective(SphinxDirective):
    required_arguments = 1

    def run(self) -> List[nodes.Node]:
        self.names: Names = self.env.app.ek_names
        header = self.names.headers[self.arguments[0]]
        self.env.note_dependency(os.path.join(self.config.ek_checkout, header.source))
        self.header = header
        result = self._head()
        section = None
        for entry in header.entries:
            if not entry.declarations:
                text = entry.comment
                where = section if section is not None and not text.startswith("=") else None
                made = self._comment_alone(entry, "evenkeel")
                if where is not None:
                    where += made
                else:
                    result += made
                continue
            section = self._section(entry)
            result.append(section)
        return result

    def _head(self) -> List[nodes.Node]:
        line = f"#include <{self.header.include}>"
        include = nodes.literal_block(line, line, language="cpp")
        describer = self._describer("evenkeel")
        result = [include] + describer.blocks(self.header.intro)
        if not self.header.entries:
            result += self._list_of_headers(self.header.includes)
        return result

    def _list_of_headers(self, includes: List[str]) -> List[nodes.Node]:
        items = nodes.bullet_list()
        for include in includes:
            if include not in self.names.headers:
                continue
            name = re.sub(r"^evenkeel/", "", include)
            described = headers.first_sentence(self.names.headers[include].intro)
            paragraph = nodes.paragraph(
                "", "", document_reference(headers.page_of(include), nodes.literal(name, name)))
            if described:
                paragraph += nodes.Text(": ")
                paragraph += self._describer("evenkeel").inline(described)
            items += nodes.list_item("", paragraph)
        return [nodes.paragraph("", "Includes"), items] if items.children else []

    def _describer(self, scope: str) -> Describer:
        return Describer(self.names, self.env.found_docs, scope, self.header.include)

    def _section(self, entry: headers.Entry) -> nodes.Node:
        titles = list(dict.fromkeys(d.name for d in entry.declarations))
        title = ", ".join(titles[:3]) + (", ..." if len(titles) > 3 else "")
        section = nodes.section(names=[], ids=[f"entry-{entry.line}"], classes=["ek-entry"])
        section += nodes.title(title, title)
        section += self._entry(entry)
        return section

    def _comment_alone(self, entry: headers.Entry, scope: str) -> List[nodes.Node]:
        if entry.comment.startswith("="):
            title, _, rest = entry.comment[1:].partition("\n")
            return [nodes.rubric(title, title)] + self._describer(scope).blocks(rest)
        return self._describer(scope).blocks(entry.comment)

    def _entry(self, entry: headers.Entry) -> List[nodes.Node]:
        if not entry.declarations:
            return self._comment_alone(entry, self.scope)
        kind = entry.declarations[0].kind
        described = addnodes.desc(domain="ek", objtype=kind, desctype=kind, noindex=False,
                                  classes=["cpp", "ek", kind])
        content = addnodes.desc_content()
        describer = self._describer(entry.declarations[0].full_name)
        content += describer.blocks(entry.comment)
        is_group = len(entry.declarations) > 1
        for declaration in entry.declarations:
            described += self._signature(declaration)
            content += self._about(declaration, describer, is_group)
        described += content
        return [described]

    def _about(self, declaration, describer, is_group: bool) -> List[nodes.Node]:
        result: List[nodes.Node] = []
        if declaration.trailing:
            words = describer.inline(declaration.trailing)
            if is_group:
                words = [nodes.literal("", declaration.name), nodes.Text(": ")] + words
            result.append(nodes.paragraph("", "", *words))
        if declaration.traits:
            result.append(nodes.paragraph("", " ".join(declaration.traits), classes=["ek-note"]))
        outer, self.scope = getattr(self, "scope", ""), declaration.full_name
        for entry in declaration.entries:
            result += self._entry(entry)
        self.scope = outer
        return result

    def _signature(self, declaration: headers.Declaration) -> nodes.Node:
        signature = addnodes.desc_signature(declaration.code, "", is_multiline=True,
                                            classes=["ek-signature"])
        domain = self.env.get_domain("ek")
        for name in full_names(declaration):
            anchor = domain.note(name, declaration.kind, self.env.docname)
            if anchor:
                signature["ids"].append(anchor)
                signature["names"].append(name)
                entry = f"{last_part(name)} ({self._where(declaration)})"
                index = addnodes.index(entries=[("single", entry, anchor, "", None)])
                self.state.document.append(index)
        if declaration.condition:
            signature += addnodes.desc_signature_line("", "", nodes.inline(
                "", f"#if {declaration.condition}", classes=["ek-note"]))
        is_named = False
        for line in declaration.code.split("\n"):
            node = addnodes.desc_signature_line()
            is_named = self._tokens(node, line, declaration, is_named)
            signature += node
        return signature

    def _where(self, declaration: headers.Declaration) -> str:
        scope = re.sub(r"^evenkeel(::)?", "", declaration.scope)
        return f"{declaration.kind} of {scope}" if scope else declaration.kind

    def _tokens(self, node, line: str, declaration, is_named: bool) -> bool:
        scope = declaration.full_name if declaration.entries else declaration.scope
        is_template_line = line.startswith(("template", "requires"))
        name = re.sub(r"<.*", "", declaration.name)
        for match in TOKEN.finditer(line):
            token = match.group()
            behind = line[match.end():].lstrip()[:1]
            is_name = token == name
            if is_name and not is_named and not is_template_line and (
                    declaration.kind != "function" or behind == "(" or not token.isidentifier()):
                node += addnodes.desc_name("", "", addnodes.desc_sig_name(token, token))
                is_named = True
            elif token in KEYWORDS:
                node += addnodes.desc_sig_keyword(token, token)
            elif token in TYPES:
                node += addnodes.desc_sig_keyword_type(token, token)
            elif token.startswith('"'):
                node += addnodes.desc_sig_literal_string(token, token)
            elif token[0].isdigit():
                node += addnodes.desc_sig_literal_number(token, token)
            elif re.match(r"(::)?[A-Za-z_]", token):
                node += self._identifier(token, scope)
            elif token.isspace():
                node += nodes.Text(" ")
            else:
                node += addnodes.desc_sig_punctuation(token, token)
        return is_named

    def _identifier(self, token: str, scope: str) -> nodes.Node:
        content = addnodes.desc_sig_name(token, token)
        if not re.search(r"[A-Z]", token.rpartition("::")[2][:1]) and "::" not in token:
            return content  # a parameter, or a function that is called
        target = self.names.find(token, scope)
        if target is None or self.names.pages[target][2] == "function":
            return content
        return reference_to(target, content)


# --- The domain ----------------------------------------------------------------------------------
def own_version() -> int:
    """Changes with this extension, so that pages that an older one has made are made anew."""
    text = b""
    for module in (__file__, headers.__file__):
        with open(module, "rb") as file:
            text += file.read()
    return zlib.crc32(text)


class EvenkeelDomain(Domain):
    name = "ek"
    label = "C++"
    object_types = {kind: ObjType(kind, "name") for kind in (
        "class", "struct", "union", "enum", "enumerator", "concept", "function", "variable",
        "type", "macro")}
    initial_data = {"objects": {}}  # full name: [(document, anchor, kind), ...]
    data_version = own_version()

    def note(self, name: str, kind: str, document: str) -> Optional[str]:
        """The anchor of a name; nothing where an overload on the same page has it already."""
        places = self.data["objects"].setdefault(name, [])
        if any(place[0] == document for place in places):
            return None
        places.append((document, headers.anchor_of(name), kind))
        return places[-1][1]

    def clear_doc(self, docname: str) -> None:
        objects = self.data["objects"]
        for name in list(objects):
            objects[name] = [place for place in objects[name] if place[0] != docname]
            if not objects[name]:
                del objects[name]

    def merge_domaindata(self, docnames, otherdata) -> None:
        for name, places in otherdata["objects"].items():
            mine = self.data["objects"].setdefault(name, [])
            mine += [place for place in places if place[0] in docnames and place not in mine]

    def resolve_xref(self, env, fromdocname, builder, typ, target, node, contnode):
        places = self.data["objects"].get(target)
        if not places:
            return None
        # Of overloads on several pages the one on this page, or else the first in the alphabet.
        document, anchor, _ = min(places, key=lambda place: (place[0] != fromdocname, place))
        return make_refnode(builder, fromdocname, document, anchor, [contnode], target)

    def resolve_any_xref(self, env, fromdocname, builder, target, node, contnode):
        return []

    def get_objects(self):
        for name, places in self.data["objects"].items():
            for document, anchor, kind in places:
                yield name, name, kind, document, anchor, 1


def read_headers(app) -> None:
    app.ek_names = Names()
    with open(app.config.ek_headers, encoding="utf-8") as file:
        for line in file:
            include, source = line.split()
            path = os.path.join(app.config.ek_checkout, source)
            app.ek_names.add(headers.read_header(path, include, source))


def link_names(app, doctree: nodes.document) -> None:
    """Links `ek::name` in the text of pages to where it is shown; warns if no header has it."""
    for literal in list(doctree.findall(nodes.literal)):
        match = re.match(r"ek::[\w:]+\w", literal.astext())
        if match is None or isinstance(literal.parent, (nodes.reference, addnodes.pending_xref)):
            continue
        target = app.ek_names.find(match.group(), "evenkeel")
        if target is None:
            logger.warning("no public header declares %s", match.group(), location=literal)
        else:
            literal.replace_self(reference_to(target, literal.deepcopy()))


def setup(app):
    app.add_config_value("ek_checkout", "", "env")
    app.add_config_value("ek_headers", "", "env")  # a file with lines: INCLUDE SOURCE
    app.add_directive("header", HeaderDirective)
    app.add_domain(EvenkeelDomain)
    app.connect("builder-inited", read_headers)
    app.connect("doctree-read", link_names)
    return {"version": "1", "env_version": EvenkeelDomain.data_version,
            "parallel_read_safe": True, "parallel_write_safe": True}
