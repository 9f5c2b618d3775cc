# make run     builds the program and runs the hello world: a peg that fits its hole
# make test    everything that must hold before a change lands
# make book    the book, with all its code run, in out/book
# make playground   the simulator in one page, in out/playground; needs Rust for WebAssembly
# make wheel   the Python package and the one it stands on as wheels that need no compiler, in out/wheels
# make wheel-complementarity   the same for the solver library alone, in out/complementarity
# make soak    ten thousand random scenes, judged; hours
# make bench   step times and their split
# make bench-solvers   every solver on every problem file
# make bench-complementarity   every solver on families of problems: tables and profiles
.PHONY: run build test lint docs rust-test examples python-test book playground wheel wheel-complementarity viewer-test check-tree bench bench-solvers bench-complementarity soak fmt setup

CARGO ?= cargo

run:
	@scripts/setup library
	$(CARGO) build --release --bin stickslip
	mkdir -p out
	target/release/stickslip run peg-in-hole --record out/peg-in-hole.h5 --html out/peg-in-hole.html

build: setup
	$(CARGO) build --workspace --bins

test: setup check-tree lint rust-test docs examples python-test book viewer-test
	@echo "all checks passed"

# What the system must provide; installs it where that is permitted.
setup:
	@scripts/setup

# Clippy alone, without debug builds of its own: the same profile as everything else.
lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings

rust-test:
	$(CARGO) test --workspace --quiet

docs:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --quiet

examples:
	scripts/run-examples

python-test:
	python/test.sh
	python-complementarity/test.sh

# Renders docs/, checks every link, and runs or compiles every block of code; notebooks too. The references
# of Python and Rust are part of it.
book: build docs
	scripts/make-book

# Optional; the book links to it where it is there.
playground:
	scripts/playground

# Takes minutes: HDF5 is compiled. The second line shows that the wheels work without a compiler.
wheel:
	scripts/wheel
	scripts/test-wheel

wheel-complementarity:
	scripts/wheel-complementarity

viewer-test:
	scripts/test-viewer

# Paths that the documents name exist; source files stay short.
check-tree:
	scripts/check-tree

soak: build
	$(BIN) soak --seeds 0..9999

bench:
	$(CARGO) bench -p stickslip --bench steps --bench chains --bench runs

bench-solvers:
	$(CARGO) build --release --bin stickslip
	bench/solvers.sh

bench-complementarity:
	bench/complementarity.sh

fmt:
	$(CARGO) fmt --all
