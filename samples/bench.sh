#!/usr/bin/env bash
# Whole runs over generated workloads: how fast a trace is made and replayed,
# and how much memory that takes. Usage: samples/bench.sh path/to/replay
# Each run is made three times; the median is printed.
set -euo pipefail
replay=${1:?usage: samples/bench.sh path/to/replay}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# field KEY: the value of a key in the one-row JSON on standard input
field() { grep -o "\"$1\": [0-9.e+]*" | head -1 | cut -d' ' -f2; }
median() { sort -g | sed -n 2p; }

printf '%-12s %12s %14s %12s %14s %10s\n' workload 'warp insts' 'M insts/s' cycles 'trace bytes' 'RSS MB'
bench() {
	local name=$1 gpu=$2; shift 2
	"$replay" --quiet sample "$name" "$@" -o "$dir/$name.trace.zst" >/dev/null
	local runs=()
	for _ in 1 2 3; do
		"$replay" --quiet --json --gpu="$gpu" --tables=runs,kernels -o "$dir/out" "$dir/$name.trace.zst" >"$dir/run.json"
		runs+=("$(field warp_instructions_per_second <"$dir/run.json")")
	done
	local rate insts cycles rss
	rate=$(printf '%s\n' "${runs[@]}" | median)
	insts=$(field warp_instructions <"$dir/run.json")
	cycles=$(field cycles <"$dir/run.json")
	rss=$(field peak_rss_bytes <"$dir/run.json")
	printf '%-12s %12s %14s %12s %14s %10s\n' "$name" "$insts" "$(awk "BEGIN{printf \"%.2f\", $rate/1e6}")" "$cycles" \
		"$(stat -c %s "$dir/$name.trace.zst" 2>/dev/null || stat -f %z "$dir/$name.trace.zst")" "$(awk "BEGIN{printf \"%.0f\", $rss/1e6}")"
}

bench stn a100        # a stencil: streams
bench matmul a100     # a dense product in shared memory
bench copy a100       # bandwidth
bench walk a100       # uncoalesced: a sector a lane
bench chase a100      # latency
bench bfs a100        # a graph search
bench hsp gk110-ppcs  # dependent kernels with halos
