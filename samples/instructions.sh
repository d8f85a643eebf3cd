#!/usr/bin/env bash
# Host instructions of small runs, which do not vary with what else the machine does: for a
# warp instruction of a dense product and a stencil, for a sector of 32 B of a copy, of a
# walk and of hits in an L1, each less those of an empty run.
# Usage: samples/instructions.sh path/to/replay GPU [--set KEY=VALUE ...]; it needs valgrind.
set -euo pipefail
replay=${1:?usage: samples/instructions.sh path/to/replay GPU [--set KEY=VALUE ...]}
gpu=${2:?usage: samples/instructions.sh path/to/replay GPU [--set KEY=VALUE ...]}
shift 2
command -v valgrind >/dev/null || { echo "instructions.sh: valgrind is not there; install it first" >&2; exit 1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# callgrind runs a thread at a time. So a collection of garbage takes as long as it happens to.
export GODEBUG=asyncpreemptoff=1 GOGC=off

counted() { # SAMPLE PARAM...: host instructions of its replay
	local sample=$1; shift
	"$replay" --quiet sample "$sample" "${@/#/--param=}" -o "$dir/x.trace.zst" >/dev/null
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$replay" --quiet --no-baseline --gpu="$gpu" "${set[@]}" \
		--tables=runs,kernels -o "$dir/out" "$dir/x.trace.zst" 2>&1 >/dev/null | sed -n 's/.*refs: *//p' | tr -d ,
}
set=("$@")
empty=$(counted empty)
each() { # NAME OF UNIT SAMPLE PARAM...
	local name=$1 of=$2 unit=$3; shift 3
	printf '%-14s %6d a %s\n' "$name" $((($(counted "$@") - empty) / of)) "$unit"
}
printf '%-14s %6d in all\n' empty "$empty"
each 'dense product' 100224 'warp instruction' matmul m=96 n=96 k=96
each stencil 358144 'warp instruction' stn kernels=1 nx=128 ny=128 nz=32
each copy 65536 sector copy kib=1024
each walk 131072 sector walk threads=8192 steps=16
each 'L1 hits' 1048576 sector walk threads=16384 words=8192
