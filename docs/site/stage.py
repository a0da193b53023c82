"""Puts together what Sphinx reads: the pages of the checkout, as they are but for their links, and
a page for each public header and for each file that a page links to.

    stage.py CHECKOUT TARGET

Links lead from page to page on a code host. Here they are turned into links within the site:
headers have pages of their own, and other files are shown as they are.
"""

import fnmatch
import os
import re
import shutil
import subprocess
import sys
from typing import Dict, List, Set, Tuple

import headers

CHECKOUT = ""
TARGET = ""
LINK = re.compile(r'(?P<before>!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(|<img src=")(?P<to>[^)\s"]+)')
IMAGE = re.compile(r'<img src="([^"]*)" alt="([^"]*)"[^>]*>')  # a code host can size only these
NAME = re.compile(r"(?<!\[)`(ek::[\w:]+\w)[^`]*`(?!\])")
ORPHAN = "---\norphan: true\n---\n\n"  # the page of all files names it, and no table of contents
LANGUAGES = {"cpp": "cpp", "hpp": "cpp", "cmake": "cmake", "CMakeLists.txt": "cmake", "sh": "bash",
             "bash": "bash", "py": "python", "json": "json"}


def fail(message: str) -> None:
    sys.exit(f"stage.py: {message}")


# --- What there is -------------------------------------------------------------------------------
def files_of_checkout() -> List[str]:
    command = ["git", "-C", CHECKOUT, "ls-files", "--cached", "--others", "--exclude-standard"]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\n")
    return sorted({f for f in found if f and os.path.exists(os.path.join(CHECKOUT, f))})


def read(file: str) -> str:
    with open(os.path.join(CHECKOUT, file), encoding="utf-8") as opened:
        return opened.read()


def is_page(file: str) -> bool:
    return file.endswith(".md") and (
        file.startswith("docs/") or re.fullmatch(r"(\w+/README|[A-Z]+)\.md", file) is not None)


def document_of(page: str) -> str:
    """Where a page is on the site, without its ending."""
    if page == "README.md":
        return "index"
    if page.endswith("/README.md"):
        return "reference/" + page.split("/")[0]
    return re.sub(r"^docs/|\.md$", "", page if page.startswith("docs/") else page.lower())


def page_of(include: str) -> str:
    """The document that shows a header."""
    return "reference/" + re.sub(r"^evenkeel/|\.hpp$", "", include)


def first_sentence(text: str) -> str:
    text = text.split("\n\n")[0].split("\n  ")[0].replace("\n", " ")
    match = re.match(r"(.*?[.:])(?= [A-Z]|$)", text)
    return (match.group(1) if match else text).rstrip(".:")


def headers_of(files: List[str]) -> List[Tuple[str, str]]:
    """Each public header as it is included, and its source."""
    found = []
    for file in files:
        match = re.fullmatch(r"\w+/include/(evenkeel/.*\.hpp)(\.in)?", file)
        if match:
            found.append((match.group(1), file))
    return found


def read_contents() -> List[Tuple[str, List[str]]]:
    parts: List[Tuple[str, List[str]]] = []
    for line in read("docs/site/contents.txt").split("\n"):
        if line.startswith("["):
            parts.append((line.strip("[]"), []))
        elif line and not line.startswith("#"):
            parts[-1][1].append(line)
    return parts


def pages_by_part(pages: List[str]) -> List[Tuple[str, List[str]]]:
    result, named = [], {"README.md"}
    for title, patterns in read_contents():
        found: List[str] = []
        for pattern in patterns:
            matching = [p for p in pages if fnmatch.fnmatch(p, pattern) and p not in named]
            if not matching and "*" not in pattern:
                fail(f"docs/site/contents.txt names {pattern}, and there is no such page")
            found += matching
            named.update(matching)
        result.append((title, found))
    missing = [p for p in pages if p not in named]
    if missing:
        fail(f"docs/site/contents.txt does not name {', '.join(missing)}")
    return result


# --- Pages ---------------------------------------------------------------------------------------
written: Set[str] = set()


def write(document: str, text: str) -> None:
    """Leaves a file alone that is the same already, so that Sphinx does not read it again."""
    path = os.path.join(TARGET, document)
    written.add(path)
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Site:
    def __init__(self) -> None:
        self.files = files_of_checkout()
        self.pages = [f for f in self.files if is_page(f)]
        self.headers = headers_of(self.files)
        self.sources: Set[str] = set()  # files that are shown as they are
        self.documents: Dict[str, str] = {p: document_of(p) for p in self.pages}
        self.documents.update({s: page_of(i) for i, s in self.headers})
        self.reference = headers.Reference(
            [headers.Header(include, source, read(source)) for include, source in self.headers])

    def target_of(self, path: str) -> str:
        """The document that shows a file or a folder of the checkout."""
        if path in self.documents:
            return self.documents[path]
        readme = f"{path}/README.md"
        if readme in self.documents:
            return self.documents[readme]
        self.sources.add(path)
        return f"source/{path}" + ("/folder" if os.path.isdir(os.path.join(CHECKOUT, path)) else "")

    def rewritten(self, text: str, page: str, document: str) -> str:
        """The text of a page with links as they are on the site; lines keep their numbers. A page
        has one title here: what follows a second one is a level lower.
        """
        lines, fence, titles = [], "", 0
        for line in text.split("\n"):
            match = re.match(r" *(```+|~~~+)", line)
            if match and (not fence or match.group(1).startswith(fence)):
                fence = "" if fence else match.group(1)
            elif not fence:
                titles += line.startswith("# ")
                if titles > 1 and re.match("#+ ", line):
                    line = "#" + line
                line = self._line(line, page, document)
            lines.append(line)
        return "\n".join(lines)

    def _line(self, line: str, page: str, document: str) -> str:
        code = [m.span() for m in re.finditer(r"(`+)(?!`).*?(?<!`)\1(?!`)", line)]

        def replaced(match) -> str:
            if any(b < match.start("to") < e for b, e in code):
                return match.group()
            return match.group("before") + self._link(match.group("to"), page, document)

        line = IMAGE.sub(r"![\2](\1)", LINK.sub(replaced, line))
        return NAME.sub(lambda m: f"[{m.group()}]({self.reference.find(m.group(1)) or 'ek.none'})",
                        line)  # Sphinx warns of a name that no public header declares

    def _link(self, to: str, page: str, document: str) -> str:
        if re.match(r"[a-z]+:|#", to):
            return to
        path, _, anchor = to.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(page), path))
        if not os.path.exists(os.path.join(CHECKOUT, path)):
            return to  # the check of links tells
        if path.startswith("docs/pictures/"):
            target = path[len("docs/"):]
        else:
            target = self.target_of(path) + ".md"
        relative = os.path.relpath(target, os.path.dirname(document) or ".")
        return relative + (f"#{anchor}" if anchor else "")

    # --- Writing ---------------------------------------------------------------------------------
    def write_all(self) -> None:
        for page in self.pages:
            document = self.documents[page]
            text = self.rewritten(read(page), page, document)
            if page == "README.md":
                text += self._contents()
            if page.endswith("/README.md"):
                text += self._headers_of(page.split("/")[0])
            write(document + ".md", text)
        for include, _ in self.headers:
            write(page_of(include) + ".md", self.reference.page(include))
        self._write_sources()
        self._copy_pictures()
        self._remove_others()

    def _contents(self) -> str:
        text = ""
        for title, pages in pages_by_part(self.pages):
            documents = [self.documents[p] for p in pages]
            if title == "Reference":
                overall = [page_of(i) for i, _ in self.headers if i.count("/") == 1]
                documents = overall + documents
            if title == "The project":
                documents.append("source/index")
            text += _toctree(documents, title)
        return text

    def _headers_of(self, component: str) -> str:
        found = [i for i, _ in self.headers if i.startswith(f"evenkeel/{component}/")]
        if not found:
            return ""
        text = "\n\n## Public headers\n\n| header | what |\n|---|---|\n"
        for include in found:
            header = self.reference.headers[include]
            name = re.sub(rf"^evenkeel/{component}/", "", include)
            link = os.path.relpath(page_of(include), "reference")
            text += f"| [{name}]({link}.md) | {headers.escaped(first_sentence(header.intro))} |\n"
        return text + _toctree([page_of(i)[len("reference/"):] for i in found], "")

    def _write_sources(self) -> None:
        done: Set[str] = set()
        while self.sources - done:
            for path in sorted(self.sources - done):
                done.add(path)
                if os.path.isdir(os.path.join(CHECKOUT, path)):
                    self._write_folder(path)
                else:
                    self._write_file(path)
        links = [f"- [{p}]({self.target_of(p)[len('source/'):]}.md)\n" for p in sorted(done)]
        write("source/index.md",
              "# Files\n\nFiles of the checkout that pages of this site name.\n\n"
              + "".join(links))

    def _write_file(self, path: str) -> None:
        text = read(path).rstrip("\n")
        name = os.path.basename(path)
        language = LANGUAGES.get(name, LANGUAGES.get(name.rpartition(".")[2], "text"))
        if text.startswith("#!/usr/bin/env bash"):
            language = "bash"
        write(f"source/{path}.md", f"{ORPHAN}# {path}\n\n````{language}\n{text}\n````\n")

    def _write_folder(self, path: str) -> None:
        inside = [f for f in self.files if f.startswith(path + "/")]
        text = f"{ORPHAN}# {path}/\n\n"
        for file in inside:
            name = file[len(path) + 1:]
            if path == "examples" or file in self.documents or file in self.sources:
                link = os.path.relpath(self.target_of(file), f"source/{path}")
                text += f"- [{name}]({link}.md)\n"
            else:
                text += f"- {name}\n"
        write(f"source/{path}/folder.md", text)

    def _copy_pictures(self) -> None:
        for file in self.files:
            if not file.startswith("docs/pictures/"):
                continue
            path = os.path.join(TARGET, file[len("docs/"):])
            written.add(path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            source = os.path.join(CHECKOUT, file)
            if not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(source):
                shutil.copyfile(source, path)

    def _remove_others(self) -> None:
        for folder, _, names in os.walk(TARGET):
            for name in names:
                if os.path.join(folder, name) not in written:
                    os.remove(os.path.join(folder, name))


def _toctree(documents: List[str], caption: str) -> str:
    lines = ["", "", "```{toctree}", ":hidden:"]
    lines += [f":caption: {caption}"] if caption else []
    return "\n".join(lines + [":maxdepth: 1", ""] + documents + ["```", ""])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        fail("usage: stage.py CHECKOUT TARGET")
    CHECKOUT, TARGET = (os.path.abspath(a) for a in sys.argv[1:])
    Site().write_all()
