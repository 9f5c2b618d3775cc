"""The reference of a Python package, from its signatures and docstrings."""

from __future__ import annotations

import doctest
import html
import importlib
import inspect
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

Code = Callable[[str, str], str]
#: What has a reference in the book; one builds on the other.
PACKAGES = ("stickslip", "complementarity")


def page(package: str, code: Code) -> tuple[str, list[tuple[int, str, str]]]:
    """HTML of a package's public names, and its headings (level, text, anchor)."""
    module = importlib.import_module(package)
    parts = [f"<h1><code>{package}</code></h1>", _prose(inspect.getdoc(module) or "", code)]
    headings: list[tuple[int, str, str]] = []
    for title, names in _groups(module):
        anchor = title.lower()
        headings.append((2, title, anchor))
        parts.append(f'<h2 id="{anchor}">{title}</h2>')
        for name in names:
            headings.append((3, name, name))
            parts.append(_entry(name, getattr(module, name), code))
    return "".join(parts), headings


def _groups(module: ModuleType) -> list[tuple[str, list[str]]]:
    names = getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]
    kinds: dict[str, list[str]] = {"Classes": [], "Functions": [], "Modules": [], "Errors": []}
    for name in sorted(names, key=str.lower):
        thing = getattr(module, name, None)
        if inspect.isclass(thing):
            kinds["Errors" if issubclass(thing, BaseException) else "Classes"].append(name)
        elif inspect.ismodule(thing):
            kinds["Modules"].append(name)
        elif callable(thing):
            kinds["Functions"].append(name)
    return [(title, found) for title, found in kinds.items() if found]


def _entry(name: str, thing: Any, code: Code) -> str:
    if inspect.ismodule(thing):
        # what a module says is its own may come from elsewhere
        said = getattr(thing, "__all__", None)
        members = [
            _member(n, getattr(thing, n), code)
            for n in said or sorted(vars(thing))
            if not n.startswith("_") and _own(getattr(thing, n, None), None if said else thing.__name__)
        ]
        body = _prose(inspect.getdoc(thing) or "", code) + "".join(members)
    elif inspect.isclass(thing):
        body = _signature(name, thing) + _prose(_own_doc(thing), code)
        body += "".join(_member(n, m, code) for n, m in _members(thing))
    else:
        body = _signature(name, thing) + _prose(inspect.getdoc(thing) or "", code)
    return f'<h3 id="{html.escape(name)}"><code>{html.escape(name)}</code></h3>{body}'


def _own(thing: Any, module: str | None) -> bool:
    return (inspect.isclass(thing) or inspect.isfunction(thing)) and module in (None, thing.__module__)


def _own_doc(thing: type) -> str:
    return inspect.cleandoc(thing.__doc__) if thing.__doc__ else ""


def _members(thing: type) -> list[tuple[str, Any]]:
    """Public methods and properties, those of its own bases included, in the order of the source."""
    found: dict[str, Any] = {}
    for base in reversed(thing.__mro__):
        if base.__module__.split(".")[0] in PACKAGES:
            found |= {n: m for n, m in vars(base).items() if not n.startswith("_")}
    return [(n, m) for n, m in found.items() if getattr(m, "__doc__", None)]


def _member(name: str, member: Any, code: Code) -> str:
    if isinstance(member, (staticmethod, classmethod)):
        member = member.__func__
    if inspect.isfunction(member) or inspect.isclass(member) or inspect.isbuiltin(member):
        head = _signature(name, member)
    else:
        head = f'<p class="signature"><code>{html.escape(name)}</code></p>'
    doc = _own_doc(member) if inspect.isclass(member) else inspect.getdoc(member) or ""
    return f'<div class="member">{head}{_prose(doc, code)}</div>'


def _signature(name: str, thing: Any) -> str:
    try:
        text = str(inspect.signature(thing))
    except (TypeError, ValueError):
        text = "(...)"
    text = re.sub(r"^\((self|cls)(, )?", "(", text)
    # Annotations are kept as texts.
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)
    return f'<p class="signature"><code>{html.escape(name + text)}</code></p>'


def _prose(doc: str, code: Code) -> str:
    """Paragraphs, with what stands between backquotes as code, and examples in colors."""
    parts: list[str] = []
    text: list[str] = []

    def flush() -> None:
        for block in re.split(r"\n\s*\n", "".join(text)):
            if block.strip():
                safe = re.sub(r"``?([^`]+)``?", r"<code>\1</code>", html.escape(block.strip(), quote=False))
                # Lines of names and their meaning stay lines.
                listed = re.search(r"(?m)^\s*(- |<code>.*</code>\s{2,})", safe)
                parts.append(f"<p>{safe.replace(chr(10), '<br>') if listed else safe}</p>")
        text.clear()

    for piece in doctest.DocTestParser().parse(doc):
        if isinstance(piece, str):
            text.append(piece)
            continue
        if "".join(text).strip():
            flush()
        else:
            text.clear()
        source = re.sub(r"\s*# doctest:.*", "", piece.source)
        lines = source.rstrip("\n").split("\n")
        shown = "\n".join((">>> " if k == 0 else "... ") + line for k, line in enumerate(lines)) + "\n" + piece.want
        parts.append(("example", shown))  # type: ignore[arg-type]
    flush()
    return _joined(parts, code)


def _joined(parts: list[Any], code: Code) -> str:
    """Examples that follow each other are one."""
    out: list[str] = []
    example = ""
    for part in parts:
        if isinstance(part, tuple):
            example += part[1]
            continue
        if example:
            out.append(code(example, "pycon"))
            example = ""
        out.append(part)
    if example:
        out.append(code(example, "pycon"))
    return "".join(out)
