#!/usr/bin/env bash
# Every solver on every problem file: writes docs/solver-tables.md and the figures in
# docs/images/solvers/. The collections of others are looked for in ../shared/problems (or in
# $STICKSLIP_SHARED/problems); without them the tables hold the problems of this project alone.
#   bench/solvers.sh [SECONDS]     most seconds of one solve, of processor time (default 5)
# JOBS=6 bench/solvers.sh runs families at the same time: the times suffer a little.
# STICKSLIP=PATH names another program than target/release/stickslip.
set -euo pipefail
cd "$(dirname "$0")/.."
limit=${1:-5}
program=${STICKSLIP:-target/release/stickslip}
shared=$(realpath -m "${STICKSLIP_SHARED:-../shared}/problems")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
figures=docs/images/solvers
mkdir -p "$figures"

# family NAME TOLERANCE FILE...: one table
family() {
  local name=$1 tolerance=$2 plots=$out/plots-$1-$2
  shift 2
  [ -e "$1" ] || { echo "skipped: no $name" >&2; return 0; }
  mkdir -p "$out/$name"
  ln -sf "$@" "$out/$name/"
  "$program" compare "$out/$name" --tolerance "$tolerance" --time-limit "$limit" \
    --cpu-time --option threads=1 --quiet --markdown --curves 0 --plots "$plots" >"$plots.md"
}

own=$(realpath problems)
jobs=(
  "own 1e-8 $own/*.npz"
  "lcp 1e-8 $shared/lcp/*"
  "mlcp 1e-8 $shared/mlcp/*"
  "ancestor 1e-8 $shared/ancestor/*"
  "box-stacks 1e-8 $shared/stacks/box*_r1_*"
  "box-stacks-heavy-on-light 1e-8 $shared/stacks/box*_r10000_*"
  "sphere-packings 1e-8 $shared/stacks/sph*"
  "friction 1e-6 $shared/friction/*"
  "friction 1e-10 $shared/friction/*"
)
for job in "${jobs[@]}"; do
  # shellcheck disable=SC2086
  family $job &
  while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-1}" ]; do wait -n; done
done
wait
{
  cat bench/solver-tables-head.md
  echo
  echo "Each solve was given at most $limit s."
  for job in "${jobs[@]}"; do
    read -r name tolerance _ <<<"$job"
    [ -s "$out/plots-$name-$tolerance.md" ] && { echo; cat "$out/plots-$name-$tolerance.md"; }
  done
} | cat -s >docs/solver-tables.md
for part in box-stacks-1e-8 friction-1e-10; do
  for plot in "$out/plots-$part"/*.svg; do
    [ -e "$plot" ] && cp "$plot" "$figures/${part%-1e*}-$(basename "$plot")"
  done
done
"$program" compare problems/sphere-cube-000005.npz problems/box-stack-cone-000060.npz \
  --cpu-time --time-limit "$limit" --quiet --plots "$out/curves" --curves 1 >/dev/null
cp "$out/curves"/convergence-*sphere*.svg "$out/curves"/convergence-time-box*.svg "$figures/"
