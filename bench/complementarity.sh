#!/usr/bin/env bash
# Every method for linear problems on the families of bench/complementarity/families.rs, PATH, Siconos and
# Drake beside them where they are installed, the classic nonlinear problems, and the problem files of others where
# they are found (../shared/problems or $STICKSLIP_SHARED/problems). Keeps the measurements in
# bench/complementarity/ and writes docs/complementarity-profiles.md with performance profiles (Dolan and
# More 2002) in docs/images/complementarity/.
#   bench/complementarity.sh [SECONDS]     most seconds of one solve (default 2)
# PEERS_PYTHON names a Python that has the peers (bench/complementarity/peers.py says how to get them). With
# AT_ONCE=1 the parts run side by side, one core each. Limits are processor time. What is measured
# replaces what is kept only when all of its part is there.
set -euo pipefail
cd "$(dirname "$0")/.."
limit=${1:-2}
python=${PEERS_PYTHON:-python3}
here=bench/complementarity
target=${CARGO_TARGET_DIR:-target}/debug
shared=${STICKSLIP_SHARED:-../shared}/problems
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
path=$("$python" -c 'import pathlib, gamspy_base as g; print(pathlib.Path(g.__file__).parent / "libpath52.so")' 2>/dev/null || true)
say() { echo "$(date +%H:%M:%S) $*" >&2; }

ours() {
  "$target/examples/profile" --limit "$limit" >"$place/results.csv"
  mv "$place/results.csv" $here
}

growth() {
  # one process for each family, so that the memory of one is not counted for the next
  for family in obstacle bearing option game raised; do
    "$target/examples/profile" --limit 60 --large $family auto
  done | awk 'NR == 1 || !/^family/' >"$place/growth.csv"
  mv "$place/growth.csv" $here
}

peers() {
  "$target/examples/profile" --write "$place/problems"
  "$python" $here/peers.py "$place/problems" --limit "$limit"
  # without any peer the measurements that are kept stay
  if [ -s "$place/problems/answers.csv" ]; then
    "$target/examples/profile" --judge "$place/problems" >"$place/peers.csv"
    mv "$place/peers.csv" $here
  fi
}

nonlinear() {
  if [ -n "$path" ] || [ ! -e $here/classics.csv ]; then
    "$target/examples/classics" $path >"$place/classics.csv"
    mv "$place/classics.csv" $here
  fi
}

files() {
  if [ -n "$path" ] && [ -d "$shared" ]; then
    "$python" bench/peers/solvers.py --limit "$limit" --keep "$place/files.json" \
      "$shared"/{lcp,mlcp,ancestor,stacks,friction} >"$place/files.md"
    mv "$place/files.json" $here
  fi
}

say building
"${CARGO:-cargo}" build --quiet -p complementarity --example profile --example classics
"${CARGO:-cargo}" build --quiet -p stickslip-cli
running=()
for part in ours growth peers nonlinear files; do
  say "$part"
  if [ -n "${AT_ONCE:-}" ]; then
    { $part; say "$part: done"; } &
    running+=($!)
  else
    $part
  fi
done
for one in "${running[@]}"; do wait "$one"; done
python3 $here/profile.py "$limit"
say done
