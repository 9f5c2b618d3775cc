#!/usr/bin/env bash
# Every solver on every problem file: writes docs/solver-tables.md and the figures in
# docs/images/solvers/. The collections of others are looked for in ../shared/problems (or in
# $STICKSLIP_SHARED/problems); without them the tables hold the problems of this project alone.
#   bench/solvers.sh [SECONDS]     most seconds of one solve, of processor time (default 5)
set -euo pipefail
cd "$(dirname "$0")/.."
limit=${1:-5}
shared=${STICKSLIP_SHARED:-../shared}/problems
out=$(mktemp)
trap 'rm -f "$out"' EXIT
compare() {
  target/debug/stickslip compare "$@" --cpu-time --option threads=1 --time-limit "$limit" --quiet
}
linear=(problems)
for family in lcp mlcp ancestor stacks; do
  [ -d "$shared/$family" ] && linear+=("$shared/$family")
done
{
  cat bench/solver-tables-head.md
  echo
  compare "${linear[@]}" --markdown --plots docs/images/solvers --curves 0
  if [ -d "$shared/friction" ]; then
    compare "$shared/friction" --tolerance 1e-6 --markdown
    compare "$shared/friction" --tolerance 1e-10 --markdown --plots docs/images/solvers --curves 0
  fi
} >"$out"
compare problems/sphere-cube-000005.npz problems/box-stack-cone-000060.npz --plots docs/images/solvers/curves --curves 1 >/dev/null
for name in convergence-sphere-cube-000005 convergence-time-sphere-cube-000005 convergence-time-box-stack-cone-000060; do
  mv "docs/images/solvers/curves/$name.svg" docs/images/solvers/
done
rm -r docs/images/solvers/curves
cp "$out" docs/solver-tables.md
