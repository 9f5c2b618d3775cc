#!/usr/bin/env bash
# Builds the Python package `complementarity` into .venv at the root of the repository and runs its
# tests. Arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd .. && pwd)
venv="${COMPLEMENTARITY_VENV:-$root/.venv}"
[ -x "$venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$venv"
# pip is asked only when something is missing: it is slow and wants a network.
if ! "$venv/bin/python" -c "import maturin, numpy, pytest, mypy, pyomo, scipy" 2>/dev/null; then
  "$venv/bin/pip" install --quiet --disable-pip-version-check maturin numpy pytest mypy pyomo scipy
fi
export VIRTUAL_ENV="$venv" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$root/target}"
"$venv/bin/maturin" develop --quiet
"$venv/bin/python" -m pytest "$@"
