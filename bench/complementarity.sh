#!/usr/bin/env bash
# Every method for linear problems on the families of bench/complementarity/families.rs, PATH, Siconos and
# Drake beside them where they are installed, the classic nonlinear problems, and the problem files of others where
# they are found (../shared/problems or $STICKSLIP_SHARED/problems; needs target/debug/stickslip). Keeps the measurements in
# bench/complementarity/ and writes docs/complementarity-profiles.md with performance profiles (Dolan and
# More 2002) in docs/images/complementarity/.
#   bench/complementarity.sh [SECONDS]     most seconds of one solve (default 2)
# PEERS_PYTHON names a Python that has the peers (bench/complementarity/peers.py says how to get them).
set -euo pipefail
cd "$(dirname "$0")/.."
limit=${1:-2}
python=${PEERS_PYTHON:-python3}
here=bench/complementarity
target=${CARGO_TARGET_DIR:-target}/debug/examples
cargo build --quiet -p complementarity --example profile --example classics
"$target/profile" --limit "$limit" >$here/results.csv
# one process for each family, so that the memory of one is not counted for the next
for family in obstacle bearing option game raised; do
  "$target/profile" --limit 60 --large $family auto
done | awk 'NR == 1 || !/^family/' >$here/growth.csv
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
"$target/profile" --write "$place"
"$python" $here/peers.py "$place" --limit "$limit"
# without any peer the measurements that are kept stay
if [ -s "$place/answers.csv" ]; then
  "$target/profile" --judge "$place" >$here/peers.csv
fi
path=$("$python" -c 'import pathlib, gamspy_base as g; print(pathlib.Path(g.__file__).parent / "libpath52.so")' 2>/dev/null || true)
if [ -n "$path" ] || [ ! -e $here/classics.csv ]; then
  "$target/classics" $path >$here/classics.csv
fi
shared=${STICKSLIP_SHARED:-../shared}/problems
if [ -n "$path" ] && [ -d "$shared" ] && [ -x "${CARGO_TARGET_DIR:-target}/debug/stickslip" ]; then
  rm -f $here/files.json
  "$python" bench/peers/solvers.py --limit "$limit" --keep $here/files.json \
    "$shared"/{lcp,mlcp,ancestor,stacks,friction} >/dev/null
fi
python3 $here/profile.py "$limit"
