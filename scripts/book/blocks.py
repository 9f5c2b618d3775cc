"""What the code blocks of a page must hold to."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from pages import ROOT, Block, Page

#: Runs the blocks of a page one after another and says what each printed.
RUNNER = """
import contextlib, io, json, sys, traceback
blocks, out, names = json.load(sys.stdin), [], {"__name__": "__main__"}
for text, line, page in blocks:
    shown = io.StringIO()
    try:
        with contextlib.redirect_stdout(shown):
            exec(compile("\\n" * line + text, page, "exec"), names)
        out.append([shown.getvalue(), None])
    except BaseException:
        out.append([shown.getvalue(), traceback.format_exc(limit=-1)])
        break
json.dump(out, sys.stdout)
"""

BODY = """
[[body]]
name = "body"
shape = { type = "sphere", radius = 1 }
"""

#: Languages whose blocks are only shown.
SHOWN = {"text", "math", "json", "matlab", "octave", "xml", "output"}

DOCTESTS = ROOT / "crates/stickslip-book/src/lib.rs"


class Checker:
    """Checks blocks with the command `stickslip` and the Python that runs this."""

    def __init__(self, stickslip: Path) -> None:
        self.stickslip = stickslip
        self._help = cache(self._read_help)

    def complaints(self, page: Page) -> list[str]:
        """All that is wrong with the blocks of a page."""
        out = []
        for block in page.blocks:
            match block.language:
                case "python":
                    pass
                case "toml":
                    out += self._scene(block)
                case "rust":
                    out += self._rust(block)
                case "sh":
                    out += self._commands(block)
                case language if language in SHOWN:
                    pass
                case language:
                    out.append(block.says(f"nothing checks {language or 'unnamed'} blocks"))
        return out + self._python(page)

    def _workplace(self, folder: str) -> None:
        """Files that pages refer to, as they would lie beside a user's program."""
        for name in ("scenes", "problems"):
            os.symlink(ROOT / name, Path(folder, name))
        for name in ("robots", "meshes"):
            os.symlink(ROOT / "scenes" / name, Path(folder, name))

    def _record(self, folder: str) -> None:
        """The recording that the page on them reads."""
        run = ["run", "box-stack", "-q", "--duration", "0.1", "--record", "a.h5"]
        subprocess.run([self.stickslip, *run], cwd=folder, check=True, capture_output=True)

    def _python(self, page: Page) -> list[str]:
        """The Python of a page runs as one program, and prints what the page says."""
        out = []
        chosen = [b for b in page.blocks if b.language == "python" and not _is_file(b)]
        out += [c for b in page.blocks if b.language == "python" and _is_file(b) for c in _same(b)]
        if not chosen:
            return out
        env = {**os.environ, "MPLBACKEND": "agg", "BROWSER": "true"}
        given = json.dumps([(b.text, b.line, page.name) for b in chosen])
        with tempfile.TemporaryDirectory() as folder:
            self._workplace(folder)
            if page.name == "docs/recording.md":
                self._record(folder)
            command = [sys.executable, "-c", RUNNER]
            done = subprocess.run(
                command, input=given, cwd=folder, env=env, capture_output=True, text=True
            )
        if done.returncode:
            return [*out, f"{page.name}: {done.stderr}"]
        for block, (printed, error) in zip(chosen, json.loads(done.stdout)):
            if error:
                out.append(block.says(error))
                continue
            after = next((b for b in page.blocks if b.line > block.line), None)
            if after is not None and after.language == "output":
                if printed.split() != after.text.split():
                    out.append(after.says(f"the program prints\n{printed}"))
        return out

    def _scene(self, block: Block) -> list[str]:
        """A scene, or a part of one, is read without an error."""
        with tempfile.TemporaryDirectory() as folder:
            self._workplace(folder)
            path = Path(folder, "scene.toml")
            # A part of a scene is read as part of one.
            path.write_text(block.text + (BODY if "part" in block.words else ""))
            done = subprocess.run(
                [self.stickslip, "check", path], capture_output=True, text=True, cwd=folder
            )
        return [block.says(done.stderr)] if done.returncode else []

    def _rust(self, block: Block) -> list[str]:
        if _is_file(block):
            return _same(block)
        page = f'"../../../{os.path.relpath(block.page, ROOT)}"'
        tested = [DOCTESTS, ROOT / "crates/stickslip/src/lib.rs"]
        if any(page in source.read_text() for source in tested):
            return []
        return [block.says(f"no doctest compiles this page; add it to {DOCTESTS.name}")]

    def _commands(self, block: Block) -> list[str]:
        """Commands and flags exist; blocks marked `run` are run."""
        out = []
        for line in block.text.splitlines():
            words = shlex.split(line, comments=True)
            if not words:
                continue
            if Path(words[0]).name == "stickslip" and len(words) > 1:
                known = self._help(words[1])
                if len(words) > 2 and re.search(rf"(?m)^  {re.escape(words[2])} ", known or ""):
                    known = self._help(words[1], words[2])
                flags = [w.partition("=")[0] for w in words[2:] if w.startswith("--")]
                if known is None:
                    out.append(block.says(f"stickslip has no command {words[1]}"))
                else:
                    wrong = [f for f in flags if not re.search(rf"{f}\b", known)]
                    out += [block.says(f"stickslip {words[1]} has no flag {f}") for f in wrong]
            elif words[0] == "make":
                rules = (ROOT / "Makefile").read_text()
                wrong = [w for w in words[1:] if not re.search(rf"^{w}:", rules, re.MULTILINE)]
                out += [block.says(f"the Makefile has no rule {w}") for w in wrong]
        if "run" in block.words:
            out += self._run(block)
        return out

    def _run(self, block: Block) -> list[str]:
        path = f"{self.stickslip.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        with tempfile.TemporaryDirectory() as folder:
            self._workplace(folder)
            done = subprocess.run(
                ["bash", "-euc", block.text], cwd=folder, capture_output=True, text=True,
                env={**os.environ, "PATH": path, "MPLBACKEND": "agg", "BROWSER": "true"},
            )  # fmt: skip
        return [block.says(done.stderr)] if done.returncode else []

    def _read_help(self, *command: str) -> str | None:
        done = subprocess.run([self.stickslip, *command, "--help"], capture_output=True, text=True)
        return done.stdout if done.returncode == 0 else None


def _is_file(block: Block) -> bool:
    return any(word.startswith("file=") for word in block.words)


def _same(block: Block) -> list[str]:
    """A block that shows a file shows all of it, as it is: the file is what is tested."""
    name = next(word for word in block.words if word.startswith("file=")).removeprefix("file=")
    path = ROOT / name
    if not path.exists():
        return [block.says(f"{name} does not exist")]
    if path.read_text() != block.text:
        return [block.says(f"the block differs from {name}; run python scripts/book --fix")]
    return []


def refreshed(page: Page) -> str:
    """The text of a page with the blocks that show files as the files are now."""

    def replace(found: re.Match[str]) -> str:
        return f"{found[1]}{(ROOT / found[2]).read_text()}```\n"

    return re.sub(r"(?ms)^(```\w+ file=(\S+)\n).*?^```\n", replace, page.text)
