"""The text of a header, in which comments, directives and code are told apart."""

import re
from dataclasses import dataclass
from typing import List

from cpp_text import one_line

_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<d>[^(\s]*)\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"|'
    r"(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'|^[ \t]*\#(?:\\\n|[^\n])*",
    re.S | re.M,
)


@dataclass
class Comment:
    """Lines of comment that stand one below the other."""

    begin: int
    end: int
    lines: List[str]
    is_alone: bool  # nothing else on its lines

    @property
    def text(self) -> str:
        plain = [line[1:] if line.startswith(" ") else line for line in self.lines]
        return "\n".join(line.rstrip() for line in plain).strip("\n")


@dataclass
class Directive:
    begin: int
    end: int
    text: str  # in one line


class Source:
    def __init__(self, text: str):
        self.text = text
        self.comments: List[Comment] = []
        self.directives: List[Directive] = []
        code = list(text)  # with all else blanked out, and strings made of ~
        for match in _TOKEN.finditer(text):
            begin, end = match.span()
            word = match.group()
            if word.startswith("//"):
                self._add_comment(begin, end)
            elif word.lstrip().startswith("#"):
                joined = re.sub(r"\s*\\\n\s*", " ", word.strip())
                self.directives.append(Directive(begin, end, joined))
            blank = "~" if word.startswith(('"', "'", "R")) else " "
            for i in range(begin, end):
                if code[i] != "\n":
                    code[i] = blank
        self.code = "".join(code)

    def _add_comment(self, begin: int, end: int) -> None:
        line = self.text[begin + 2:end]
        is_alone = not self.text[self._start_of_line(begin):begin].strip()
        if self.comments and is_alone and self._goes_on(self.comments[-1], begin):
            self.comments[-1].lines.append(line)
            self.comments[-1].end = end
        else:
            self.comments.append(Comment(begin, end, [line], is_alone))

    def _goes_on(self, comment: Comment, begin: int) -> bool:
        """Whether a line of comment stands directly below another one, in the same column."""
        between = self.text[comment.end:begin]
        return not between.strip() and between.count("\n") == 1 and (
            comment.begin - self._start_of_line(comment.begin)
            == begin - self._start_of_line(begin))

    def _start_of_line(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1

    def line(self, at: int) -> int:
        return self.text.count("\n", 0, at) + 1

    def without_comments(self, begin: int, end: int) -> str:
        parts, at = [], begin
        for comment in self.comments:
            if begin <= comment.begin < end:
                parts.append(self.text[at:comment.begin])
                at = comment.end
        parts.append(self.text[at:end])
        return re.sub(r"^[ \t]*#[^\n]*\n", "", "".join(parts), flags=re.M)

    def comment_above(self, at: int) -> str:
        """What stands on the lines before a declaration; `#if` may stand between them."""
        if self.text[self._start_of_line(at):at].strip():
            return ""  # not the first on its line
        lines = self.text[:self._start_of_line(at)].split("\n")[:-1]
        while lines and lines[-1].startswith("#if"):
            lines.pop()
        end = len("\n".join(lines))
        for comment in self.comments:
            if comment.is_alone and comment.end == end:
                return comment.text
        return ""

    def is_above_code(self, comment: Comment, end: int) -> bool:
        """Whether a comment stands on the lines before a declaration."""
        after = re.sub(r"\A\n(#if[^\n]*\n)+", "\n", self.text[comment.end:end])
        is_next_line = re.match(r"\n[ \t]*(?=\S)", after) is not None
        return is_next_line and not after.lstrip().startswith(("//", "#", "}"))

    def comment_behind(self, begin: int, end: int) -> str:
        """The comments behind the lines of a declaration."""
        stop = self.text.find("\n", end)
        found = " ".join(one_line(c.text) for c in self.comments
                         if not c.is_alone and begin <= c.begin < stop)
        return re.sub(r"NOLINT\S*( .*)?", "", found).strip()

    def condition_at(self, at: int) -> str:
        """What `#if` asks for there."""
        stack: List[str] = []
        for directive in self.directives:
            if directive.begin >= at:
                break
            word = directive.text
            if re.match(r"#\s*if", word):
                stack.append(re.sub(r"^#\s*(ifdef|ifndef|if)\s+", "", word))
            elif re.match(r"#\s*el", word) and stack:
                stack[-1] = f"not {stack[-1]}"
            elif re.match(r"#\s*endif", word) and stack:
                stack.pop()
        return " and ".join(stack)

    def is_directly_below(self, end: int, begin: int) -> bool:
        """Whether neither a blank line nor a comment stands between two declarations."""
        between = self.text[end:begin]
        return "\n\n" not in between and not re.search(r"^\s*//", between, re.M)
