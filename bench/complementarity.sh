#!/usr/bin/env bash
# Every method for linear problems on the families of bench/complementarity/families.rs: keeps the
# measurements in bench/complementarity/results.csv and writes docs/complementarity-profiles.md with
# performance profiles (Dolan and More 2002) in docs/images/complementarity/.
#   bench/complementarity.sh [SECONDS]     most seconds of one solve (default 5)
# Measurements of other programs in the same columns (family, problem, size, solver, solved, seconds,
# residual, iterations) can be put beside it as bench/complementarity/peers.csv: they are drawn too.
set -euo pipefail
cd "$(dirname "$0")/.."
limit=${1:-5}
cargo build --quiet -p complementarity --example profile
target/debug/examples/profile --limit "$limit" >bench/complementarity/results.csv
target/debug/examples/profile --limit 60 --large active-set auto >bench/complementarity/growth.csv
python3 bench/complementarity/profile.py "$limit"
