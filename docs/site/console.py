"""Sphinx extension: highlights sessions, in which a line that begins with "$ " is a command.

The lexer of Pygments reads commands as a shell does and gives up on quotes that span lines.
"""

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Generic, Text


class SessionLexer(RegexLexer):
    name = "session"
    tokens = {
        "root": [
            (r"^(\$ )([^\n#]*)( #[^\n]*)?(\n)", bygroups(Generic.Prompt, Text, Comment, Text)),
            (r"[^\n]*\n", Generic.Output),
        ]
    }


def setup(app):
    app.add_lexer("console", SessionLexer)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
