#!/usr/bin/env bash
# Builds the Python package into .venv at the root of the repository and runs its tests.
# Arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd .. && pwd)
venv="$root/.venv"
[ -x "$venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$venv"
needed="maturin numpy pytest mypy matplotlib pandas tqdm gymnasium distributed"
# pip is asked only when something is missing: it is slow and wants a network.
if ! "$venv/bin/python" -c "import maturin, numpy, pytest, mypy, matplotlib, pandas, tqdm, gymnasium, distributed" 2>/dev/null; then
  # shellcheck disable=SC2086
  "$venv/bin/pip" install --quiet --disable-pip-version-check $needed
fi
# Ray and MuJoCo, whose tests skip where pip cannot fetch them: 300 MB, 20 s of tests.
if ! "$venv/bin/python" -c "import ray, psutil, mujoco" 2>/dev/null; then
  "$venv/bin/pip" install --quiet --disable-pip-version-check --retries 0 --timeout 15 --only-binary :all: ray psutil mujoco ||
    echo "python/test.sh: without Ray and MuJoCo, whose tests skip" >&2
fi
export VIRTUAL_ENV="$venv" MPLBACKEND=agg CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$root/target}"
(cd "$root/python-complementarity" && "$venv/bin/maturin" develop --quiet)
"$venv/bin/maturin" develop --quiet
"$venv/bin/python" -m pytest "$@"
