#!/usr/bin/env bash
# Tells whether viewer/dist/index.html, which the Rust side embeds, is what the sources build.
# Run after `npm ci`. With --write it replaces the copy instead.
set -euo pipefail
cd "$(dirname "$0")"
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
npx tsc --noEmit
npx vite build --logLevel error --outDir "$fresh" --emptyOutDir
if [ "${1:-}" = "--write" ]; then
  mkdir -p dist
  cp "$fresh/index.html" dist/index.html
elif ! cmp -s "$fresh/index.html" dist/index.html; then
  echo "viewer/dist/index.html is not what viewer/src builds: run 'viewer/check-dist.sh --write' and commit it" >&2
  exit 1
fi
