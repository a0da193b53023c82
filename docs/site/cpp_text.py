"""What can be told of C++ by its brackets and words. Text is given with comments, strings and
directives blanked out, as Source.code has it.
"""

import re
from typing import List, Optional, Tuple

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_OPERATOR = re.compile(r"operator\s*(\[\]|[<>=!+\-*/]+)")


def matching(code: str, at: int) -> int:
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


def outside_brackets(code: str) -> str:
    """The same length, with what is in brackets blanked out."""
    out, depth = [], 0
    for c in code:
        depth -= c in ")]}"
        out.append(c if depth == 0 else " ")
        depth += c in "([{"
    return "".join(out)


def one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def without_export(text: str) -> str:
    return re.sub(r"\bEVENKEEL_API\s*", "", text)


def without_template(code: str) -> str:
    """A declaration without attributes, `template <...>` and requires-clauses in front."""
    text = code.strip()
    while True:
        if text.startswith("[["):
            text = text[text.index("]]") + 2:].lstrip()
        elif re.match(r"template\s*<", text):
            text = text[_end_of_angle(text, text.index("<")):].lstrip()
        elif re.match(r"requires\b", text):
            text = _behind_requirement(text[len("requires"):].lstrip())
        else:
            return text


def _end_of_angle(text: str, at: int) -> int:
    depth = 0
    while True:
        if text[at] == "(":
            at = matching(text, at)
            continue
        depth += (text[at] == "<") - (text[at] == ">")
        at += 1
        if depth == 0:
            return at


def _behind_requirement(text: str) -> str:
    if text.startswith("("):
        text = text[matching(text, 0):].lstrip()
    else:
        text = re.sub(r"^[\w:]+(<[^<>]*(<[^<>]*>)?[^<>]*>)?\s*", "", text)
    return re.sub(r"^(&&|\|\|)\s*", "requires ", text)


def layout(code: str) -> str:
    """One line, but for `template <...>` and requires-clauses, which get lines of their own."""
    text = one_line(without_export(code))
    rest = without_template(text)
    head = text[:len(text) - len(rest)].strip()
    head = re.sub(r"\s+(requires\b)", r"\n\1", head)
    return f"{head}\n{rest}" if head else rest


def end_of_declaration(code: str, at: int, end: int) -> Tuple[int, Optional[int]]:
    """The position behind a declaration, and where its body begins, if it has one."""
    body = None
    i = at
    while i < end:
        c = code[i]
        if c == ";":
            return i + 1, body
        if c == "}":
            return i, body
        if c in "([":
            i = matching(code, i)
            continue
        if c == "{":
            close = matching(code, i)
            after = code[close:end].lstrip()[:1]
            before = code[at:i].rstrip()
            is_body = not (_ends_in_requirement(before) or _ends_in_value(before))
            if is_body and body is None:
                body = i
            if re.match(r"(inline\s+)?namespace\b", before) or (
                    is_body and after not in (";", ",", "{", "&", "|", ")", ".")):
                return close, body
            i = close
            continue
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


def _ends_in_value(before: str) -> bool:
    """Whether a brace behind it belongs to the value of a variable."""
    return "=" in outside_brackets(without_template(before)) and "operator" not in before


def parameters_at(plain: str) -> Optional[int]:
    """Where the parameters of a function begin; nothing for variables."""
    if re.search(r"\(\s*\*\s*\w+\s*\)\s*\(", plain):
        return None  # a pointer to a function
    call = re.search(r"\boperator\s*\(\)\s*\(", plain)
    if call:
        return call.end() - 1
    angle, i = 0, 0
    while i < len(plain):
        operator = _OPERATOR.match(plain, i)
        if operator:
            i = operator.end()
            continue
        c = plain[i]
        if c == "(":
            is_inside = angle > 0 or re.search(
                r"\b(requires|decltype|noexcept|alignas|explicit)\s*$", plain[:i])
            if not is_inside:
                return i
            i = matching(plain, i)
            continue
        if c == "<":
            angle += 1
        elif c == ">" and plain[i - 1] != "-":
            angle -= 1
        elif angle == 0 and c in "={;[":
            return None
        i += 1
    return None


def function_name(before_parameters: str) -> Optional[str]:
    match = re.search(r"(operator\s*(?:\(\)|\[\]|[^\s\w(]+|[\w:\s&*<>]+?)|~?[A-Za-z_]\w*)\s*$",
                      before_parameters)
    return one_line(match.group(1)) if match else None


def declared_names(plain: str) -> List[str]:
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
