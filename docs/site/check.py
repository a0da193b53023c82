"""Checks the pages of the checkout as a code host shows them, and the site that was built of them.

    check.py CHECKOUT SITE

Fails on: a link within the checkout that leads nowhere, or to a heading that is not there; a link
to elsewhere that has not the form of an address; on the site, a broken link or one that makes a
browser load something from the network; a public header without a page or outside of all tiers; a
tier that holds more than TIERS allows; and a name in a public header that no comment describes.
Nothing is fetched from the network.
"""

import html.parser
import os
import re
import sys
import urllib.parse
from typing import Dict, Iterator, List, Set, Tuple

import headers
import stage

ADDRESS = re.compile(r"https?://[A-Za-z0-9.-]+\.[a-z]{2,}(:\d+)?(/[^\s<>]*)?|mailto:\S+@\S+")


# --- Pages as a code host shows them -------------------------------------------------------------
def lines_outside_code(text: str) -> Iterator[Tuple[int, str]]:
    """The lines of a page that are no code, with their numbers; code between backticks is blank."""
    fence = ""
    for number, line in enumerate(text.split("\n"), 1):
        match = re.match(r" *(```+|~~~+)", line)
        if match and (not fence or match.group(1).startswith(fence)):
            fence = "" if fence else match.group(1)
        elif not fence:
            yield number, re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", lambda m: " " * len(m.group()), line)


def headings_of(text: str) -> Set[str]:
    """The anchors that a code host makes of headings."""
    found: Dict[str, int] = {}
    anchors: Set[str] = set()
    fence = ""
    for line in text.split("\n"):
        match = re.match(r" *(```+|~~~+)", line)
        if match and (not fence or match.group(1).startswith(fence)):
            fence = "" if fence else match.group(1)
        title = re.match(r"#{1,6} +(.*?) *#*$", line)
        if fence or not title:
            continue
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title.group(1)).lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        count = found.get(slug, 0)
        found[slug] = count + 1
        anchors.add(f"{slug}-{count}" if count else slug)
    return anchors


def check_pages(files: List[str], texts: Dict[str, str]) -> Iterator[str]:
    """`texts` of all pages; `files`: what there is in the checkout."""
    for page, text in texts.items():
        for number, line in lines_outside_code(text):
            for match in stage.LINK.finditer(line):
                problem = problem_of(match.group("to"), page, files, texts)
                if problem:
                    yield f"{page}:{number}: {problem}"


def problem_of(to: str, page: str, files: List[str], texts: Dict[str, str]) -> str:
    if re.match(r"[a-z]+:", to):
        return "" if ADDRESS.fullmatch(to) else f"{to} is no address"
    path, _, anchor = to.partition("#")
    path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    if path not in files and not any(f.startswith(path + "/") for f in files):
        return f"there is no {to}"
    if anchor and path in texts and anchor not in headings_of(texts[path]):
        return f"{path} has no heading #{anchor}"
    return ""


# --- The site ------------------------------------------------------------------------------------
class Page(html.parser.HTMLParser):
    """The anchors of a page, the links that a reader can follow, and what a browser loads."""

    LOADS = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"),
             ("source", "src"), ("object", "data")}

    def __init__(self, path: str):
        super().__init__()
        self.anchors: Set[str] = set()
        self.links: List[str] = []
        self.loads: List[str] = []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            if (tag, name) == ("a", "href"):
                self.links.append(value)
            if (tag, name) in self.LOADS:
                self.loads.append(value)


def check_site(site: str) -> Iterator[str]:
    pages: Dict[str, Page] = {}
    for folder, _, names in os.walk(site):
        for name in names:
            path = os.path.join(folder, name)
            if name.endswith(".html"):
                pages[path] = Page(path)
            elif name.endswith(".css"):
                with open(path, encoding="utf-8") as file:
                    for address in re.findall(r"(?:url\(|@import\s)['\"]?(https?:[^)'\"]*)",
                                              file.read()):
                        yield f"{os.path.relpath(path, site)} loads {address}"
    for path, page in pages.items():
        name = os.path.relpath(path, site)
        for load in page.loads:
            if re.match(r"(https?:)?//", load):
                yield f"{name} loads {load}"
            elif not exists(path, load):
                yield f"{name} loads {load}, which is not there"
        for link in page.links:
            problem = problem_on_site(path, link, pages)
            if problem:
                yield f"{name}: {problem}"


def exists(path: str, link: str) -> bool:
    link = urllib.parse.unquote(link.partition("#")[0].partition("?")[0])
    return link.startswith("data:") or os.path.exists(os.path.join(os.path.dirname(path), link))


def problem_on_site(path: str, link: str, pages: Dict[str, Page]) -> str:
    if re.match(r"[a-z]+:", link):
        return "" if ADDRESS.fullmatch(link) else f"{link} is no address"
    file, _, anchor = link.partition("#")
    target = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(file)))
    target = target if file else path
    if not os.path.exists(target):
        return f"{link} is not there"
    anchor = urllib.parse.unquote(anchor)
    if anchor and target in pages and anchor not in pages[target].anchors:
        return f"{link} has no such anchor"
    return ""


# --- Headers -------------------------------------------------------------------------------------
def check_headers(site: str, reference: headers.Reference) -> Iterator[str]:
    for include, header in reference.headers.items():
        if not os.path.exists(os.path.join(site, stage.page_of(include) + ".html")):
            yield f"{header.source} has no page"
        if not header.intro:
            yield f"{header.source}: no comment says what the file holds"
        for name in reference.undocumented(header):
            yield f"{name}: no comment describes it"


# --- Tiers ---------------------------------------------------------------------------------------
# The most that an umbrella header may include itself, and that its tier may hold: headers, types
# and functions of the namespace evenkeel. All headers of all tiers, extras among them, are at most
# as many as the last line says.
TIERS = {"evenkeel/evenkeel.hpp": {"includes": 15, "headers": 49, "types": 127, "functions": 58},
         "evenkeel/stages.hpp": {"includes": 15, "headers": 40, "types": 60, "functions": 39}}
SCOPES = {"evenkeel/evenkeel.hpp": "evenkeel", "evenkeel/stages.hpp": "evenkeel::stages"}
MOST_HEADERS = 69
ALONE = {"evenkeel/assign.hpp"}  # of components that need no other
TYPES = {"class", "struct", "union", "enum", "typedef", "concept"}


def includes_of(header: headers.Header) -> List[str]:
    """The headers of C++ that it includes. Those of C (`.h`) have no pages."""
    return re.findall(r"^#include <(evenkeel/[^>]+\.hpp)>", header.text, re.M)


def tier_of(umbrella: str, reference: headers.Reference) -> Set[str]:
    """The umbrella and all public headers that it reaches."""
    found, waiting = {umbrella}, [umbrella]
    while waiting:
        for include in includes_of(reference.headers[waiting.pop()]):
            if include in reference.headers and include not in found:
                found.add(include)
                waiting.append(include)
    return found


def size_of(umbrella: str, reference: headers.Reference) -> Dict[str, int]:
    """What a tier declares in its namespace, by the words of TIERS."""
    tier = tier_of(umbrella, reference)
    scope = SCOPES[umbrella]
    names = {(declaration.kind in TYPES, declaration.name)
             for include in tier for declaration in reference.headers[include].declarations
             if re.fullmatch(scope + r"::\w+", declaration.name)
             and declaration.kind in TYPES | {"function"}}
    return {"includes": len(includes_of(reference.headers[umbrella])), "headers": len(tier),
            "types": sum(is_type for is_type, _ in names),
            "functions": sum(not is_type for is_type, _ in names)}


def check_tiers(reference: headers.Reference) -> Iterator[str]:
    for umbrella, limits in TIERS.items():
        for what, size in size_of(umbrella, reference).items():
            if size > limits[what]:
                yield f"<{umbrella}> has {size} {what}; at most {limits[what]} are allowed"
    first, second = (tier_of(umbrella, reference) for umbrella in TIERS)
    for include in sorted(second - first):
        for declaration in reference.headers[include].declarations:
            if re.fullmatch(r"evenkeel::\w+", declaration.name):
                yield f"<{include}> is of the second tier: {declaration.name} belongs in ek::stages"
    reached = first | second
    for include, header in reference.headers.items():
        for private in includes_of(header):
            if private not in reference.headers and not private.endswith("/test_device.hpp"):
                yield f"{header.source} is public and includes <{private}>, which is not"
        if include not in reached | ALONE and not include.startswith("evenkeel/extras/"):
            yield f"{header.source} is public, but no tier reaches it: move it to internal/"
    if len(reference.headers) > MOST_HEADERS:
        yield f"{len(reference.headers)} headers are public; at most {MOST_HEADERS} are allowed"


def main(checkout: str, site: str) -> None:
    stage.CHECKOUT = checkout
    staged = stage.Site()
    texts = {page: stage.read(page) for page in staged.pages}
    problems = [*check_pages(staged.files, texts), *check_site(site),
                *check_headers(site, staged.reference), *check_tiers(staged.reference)]
    if problems:
        print("\n".join(problems))
        sys.exit(f"{len(problems)} problems")
    print(f"{len(texts)} pages and {len(staged.headers)} headers: all links lead somewhere")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: check.py CHECKOUT SITE")
    main(*(os.path.abspath(a) for a in sys.argv[1:]))
