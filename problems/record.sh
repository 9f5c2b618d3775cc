#!/usr/bin/env bash
# Records the problems of this folder again from the project's scenes.
set -euo pipefail
cd "$(dirname "$0")/.."
record() {
  target/debug/stickslip problems record "$@" --quiet --out problems
}
record box-stack --every 60 --duration 0.6
record box-stack --name box-stack-cone --set friction=quadratic --every 60 --duration 0.6
record peg-in-hole --every 40 --duration 0.8
record tight-hole --every 40 --duration 1
record sphere-cube --set friction_directions=4 --every 5 --duration 0.05
record sphere-cube --name sphere-cube-cone --set friction=quadratic --every 5 --duration 0.05
record sphere-cube --name sphere-cube-smooth --set friction=none --every 5 --duration 0.05
record cascading-polyhedra --name pile --every 120 --duration 1.2
record cascading-polyhedra --name pile-cone --set friction=quadratic --every 200 --duration 2
record cascading-polyhedra --name pile-peg --formulation peg --every 20 --duration 0.6
record cracked-ramp --name cracked-ramp-peg --formulation peg --every 50 --duration 1
record momentum --name momentum-peg --formulation peg --every 114 --duration 1.2
record problems/scenes/joints.toml --every 50
