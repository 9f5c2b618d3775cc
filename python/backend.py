"""Builds the package with maturin, and says where in this repository the package `complementarity` lies.

`stickslip` needs `complementarity` of its own version. Installed from the tree (`pip install ./python`) that is
the one beside this folder, which no index has to hold: pip follows the address that the metadata get here.
Wheels to be handed on (`make wheel`) are made by maturin alone and name the version instead.
"""

from __future__ import annotations

import base64
import hashlib
import re
import zipfile
from pathlib import Path
from typing import Any

import maturin
from maturin import build_sdist, get_requires_for_build_sdist, get_requires_for_build_wheel

__all__ = ["build_sdist", "get_requires_for_build_sdist", "get_requires_for_build_wheel"]

get_requires_for_build_editable = get_requires_for_build_wheel
BESIDE = Path(__file__).resolve().parents[1] / "python-complementarity"


def _with_address(metadata: str) -> str:
    if not BESIDE.is_dir():
        return metadata
    line = f"Requires-Dist: complementarity @ {BESIDE.as_uri()}"
    return re.sub(r"^Requires-Dist: complementarity\b.*$", line, metadata, flags=re.MULTILINE)


def _readdress(wheel: Path) -> None:
    """Writes the wheel again with the address in its metadata."""
    with zipfile.ZipFile(wheel) as old:
        files = [(entry, old.read(entry)) for entry in old.infolist()]
    name = next(e.filename for e, _ in files if e.filename.endswith(".dist-info/METADATA"))
    text = _with_address(dict((e.filename, data) for e, data in files)[name].decode()).encode()
    digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as new:
        for entry, data in files:
            if entry.filename == name:
                data = text
            elif entry.filename.endswith(".dist-info/RECORD"):
                record = f"{name},sha256={digest},{len(text)}"
                data = re.sub(f"^{re.escape(name)},.*$", record, data.decode(), flags=re.MULTILINE).encode()
            new.writestr(entry, data)


def build_wheel(folder: str, settings: Any = None, metadata: str | None = None) -> str:
    name = maturin.build_wheel(folder, settings, metadata)
    _readdress(Path(folder, name))
    return name


def build_editable(folder: str, settings: Any = None, metadata: str | None = None) -> str:
    name = maturin.build_editable(folder, settings, metadata)
    _readdress(Path(folder, name))
    return name


def prepare_metadata_for_build_wheel(folder: str, settings: Any = None) -> str:
    name = maturin.prepare_metadata_for_build_wheel(folder, settings)
    path = Path(folder, name, "METADATA")
    path.write_text(_with_address(path.read_text(encoding="utf-8")), encoding="utf-8")
    return name


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel
