#!/usr/bin/env bash
# Every method for linear problems on the families of bench/complementarity/families.rs, PATH, Siconos and
# Drake beside them where they are installed, the classic nonlinear problems, and the problem files of others where
# they are found (../shared/problems or $STICKSLIP_SHARED/problems). Keeps the measurements in
# bench/complementarity/ and writes docs/complementarity-profiles.md with performance profiles (Dolan and
# More 2002) in docs/images/complementarity/.
#   bench/complementarity.sh [SECONDS]     most seconds of one solve (default 2)
# PEERS_PYTHON names a Python that has the peers (bench/complementarity/peers.py says how to get them). With
# AT_ONCE=1 the parts run side by side, one core each. Limits are processor time. All of it takes about half an
# hour of one core. A run that was interrupted goes on where it stopped: what it has measured is in
# out/bench-complementarity, which a whole run removes. Measurements of another build of our program are made
# again, answers of peers to the same problems are not. What is measured replaces what is kept only when all
# of its part is there.
set -euo pipefail
cd "$(dirname "$0")/.."
limit=${1:-2}
python=${PEERS_PYTHON:-python3}
here=bench/complementarity
target=${CARGO_TARGET_DIR:-target}/debug
shared=${STICKSLIP_SHARED:-../shared}/problems
place=out/bench-complementarity/$limit
cargo=${CARGO:-cargo}
path=$("$python" -c 'import pathlib, gamspy_base as g; print(pathlib.Path(g.__file__).parent / "libpath52.so")' 2>/dev/null || true)
say() { echo "$(date +%H:%M:%S) $*" >&2; }

# Runs a command for the table NAME, unless an earlier run of the same program has made it.
table() { # NAME COMMAND...
  local file=$place/$1.csv
  shift
  [ -e "$file" ] || { "$@" >"$file.part" && mv "$file.part" "$file"; }
}

# One table of those whose names begin so, in the order given.
joined() { # NAME PART...
  local name=$1
  shift
  for part in "$@"; do cat "$place/$name-$part.csv"; done | awk -v OFS=, 'NR == 1 { head = $0; print } $0 != head' \
    >"$place/$name.csv"
  mv "$place/$name.csv" $here
}

# What another build of a program has measured does not count.
same_program() { # PROGRAM PATTERN
  local sum
  sum=$(sha256sum <"$1")
  if [ "$(cat "$place/$(basename "$1").sum" 2>/dev/null)" != "$sum" ]; then
    # shellcheck disable=SC2086
    (cd "$place" && rm -rf $2)
    echo "$sum" >"$place/$(basename "$1").sum"
  fi
}

ours() {
  local families=(murty fathi obstacle bearing option bending game qp plate multibody raised)
  for family in "${families[@]}"; do
    table "results-$family" "$target/examples/profile" --limit "$limit" "$family"
  done
  joined results "${families[@]}"
}

growth() {
  # one process for each family, so that the memory of one is not counted for the next
  local families=(obstacle bearing option game raised)
  for family in "${families[@]}"; do
    table "growth-$family" "$target/examples/profile" --limit 60 --large "$family" auto
  done
  joined growth "${families[@]}"
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
    # shellcheck disable=SC2086
    table classics "$target/examples/classics" $path
    cp "$place/classics.csv" $here
  fi
}

files() {
  if [ -n "$path" ] && [ -d "$shared" ]; then
    "$cargo" build --quiet -p stickslip-cli
    same_program "$target/stickslip" files.json
    "$python" bench/peers/solvers.py --limit "$limit" --keep "$place/files.json" \
      "$shared"/{lcp,mlcp,ancestor,stacks,friction} >"$place/files.md"
    cp "$place/files.json" $here
  fi
}

say building
"$cargo" build --quiet -p complementarity --example profile --example classics
mkdir -p "$place"
same_program "$target/examples/profile" 'results-* growth-*'
same_program "$target/examples/classics" classics.csv
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
rm -rf "$place"
say done
