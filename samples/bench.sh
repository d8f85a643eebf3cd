#!/usr/bin/env bash
# Whole runs, trace to the tables runs and kernels: how fast, and in how much
# memory. Usage: samples/bench.sh path/to/replay [folder of Accel-Sim captures]
#
# Each run is made five times, a short one as often as two seconds allow, and the
# fastest is printed (anything else on the machine only adds time): warp
# instructions, sectors of 32 B that hit an L1 and those that leave an SM, in
# millions a second, and sectors per instruction. The time is that of the whole
# command, from its start to its end, tables written. Beside it stand the seconds of
# processors and how many processors there are.
set -euo pipefail
: "${EPOCHREALTIME:?bench.sh needs bash 5}"
replay=${1:?usage: samples/bench.sh path/to/replay [folder of Accel-Sim captures]}
captures=${2:-}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# field KEY: the value of a key in the one-row JSON on standard input
field() { grep -o "\"$1\": [0-9.e+-]*" | head -1 | cut -d' ' -f2; }

printf '%-12s %11s %8s %8s %8s %8s %9s %11s %11s %7s %7s %5s\n' \
	workload 'warp insts' 'ms' 'insts/s' 'L1 hit/s' 'to L2/s' 'per inst' cycles 'trace bytes' 'RSS MB' 'CPU s' cores
replayed() { # NAME GPU, of $dir/NAME.trace.zst
	local best= began took all=0 n=0 cpu=
	until ((n++ >= 5 && all > 2000000)); do
		began=${EPOCHREALTIME/[^0-9]/}
		{ TIMEFORMAT='%U %S'; time "$replay" --quiet --json --gpu="$2" --tables=runs,kernels -o "$dir/out" "$dir/$1.trace.zst" >"$dir/run.json"; } 2>"$dir/time"
		took=$((${EPOCHREALTIME/[^0-9]/} - began))
		((all += took))
		if [ -z "$best" ] || [ "$took" -lt "$best" ]; then
			best=$took
			cp "$dir/run.json" "$dir/best.json"
			cpu=$(tail -1 "$dir/time" | awk '{print $1 + $2}')
		fi
	done
	value() { field "$1" <"$dir/best.json"; }
	awk -v name="$1" -v us="$best" -v n="$(value warp_instructions)" -v s="$(value wall_seconds)" -v l1="$(value l1_hit_sectors_per_second)" \
		-v cpu="$cpu" -v cores="$(nproc)" \
		-v l2="$(value l2_sectors_per_second)" -v c="$(value cycles)" -v bytes="$(wc -c <"$dir/$1.trace.zst")" -v rss="$(value peak_rss_bytes)" \
		'BEGIN{l1 *= s; l2 *= s; printf "%-12s %11d %8.1f %8.2f %8.2f %8.2f %9.2f %11d %11d %7.0f %7.2f %5d\n", name, n, us/1e3, n/us, l1/us, l2/us, (l1+l2)/n, c, bytes, rss/1e6, cpu, cores}'
}
generated() { # NAME GPU SAMPLE PARAM...
	local name=$1 gpu=$2 sample=$3; shift 3
	"$replay" --quiet sample "$sample" "$@" -o "$dir/$name.trace.zst" >/dev/null
	replayed "$name" "$gpu"
}
captured() { # NAME GPU FILE
	"$replay" --quiet convert "$captures/$3" -o "$dir/$1.trace.zst" >/dev/null
	replayed "$1" "$2"
}

if [ -n "$captures" ]; then
	captured bfs rtx3070 accelsim-rodinia-bfs-a100/kernelslist.g
	captured vectoradd rtx3070 accelsim-vectoradd-a100/kernelslist.g
	captured simpletorch qv100 accelsim-simpletorch-v100/traces/kernelslist.g
fi
generated matmul rtx3070 matmul                        # a dense product in shared memory
generated walk rtx3070 walk                            # uncoalesced: a sector a lane
generated walk-hits rtx3070 walk --param=words=8192    # the same in an L1
generated stn rtx3070 stn                              # a stencil: streams
generated copy rtx3070 copy                            # bandwidth
generated empty rtx3070 empty                          # start of the command, preset, ends of the tables
generated chase rtx3070 chase                          # latency
generated graph rtx3070 bfs                            # a graph search that launches nothing
generated hsp gk110-ppcs hsp                           # dependent kernels with halos
generated long rtx3070 stn --param=kernels=200         # 72 M instructions: memory does not grow
generated children k20c dp-join --param=left=204800 --param=right=204800 --param=keys=1024 # 204,800 children, in another order than the trace has them: RSS is of what is pending
