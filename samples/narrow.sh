#!/usr/bin/env bash
# Narrow tasks: the workloads of the Pagoda paper under every policy that runs
# them, end to end and without the copies of inputs and outputs, beside the
# paper's geometric means. Usage: samples/narrow.sh path/to/replay [TASKS]
# TASKS of each workload (default 512), of the sizes given below.
set -euo pipefail
replay=${1:?usage: samples/narrow.sh path/to/replay [TASKS]}
tasks=${2:-512}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Sizes are the paper's, but for the iterations of MB (64) and packets of 3DES
# (2 to 8 KB), which keep the whole within minutes.
declare -A size=(
	[mb]="iterations=64" [fb]="" [bf]="" [conv]="" [dct]="" [mm]="" [slud]="tiles=14" [3des]="max-bytes=8192"
	[mpe]="iterations=64 max-bytes=8192")

# pairs: POLICY CYCLES of the rows in the JSON on standard input
pairs() {
	tr '{' '\n' | sed -n 's/.*"cycles": *\([0-9]*\).*/\1 &/p' | sed 's/^\([0-9]*\) .*"policy": *"\([^"]*\)".*/\2 \1/'
}

run() { # WORKLOAD on|off
	local policies=pagoda,pagoda-batch,hyperq,pthreads
	case $1 in mb | bf | conv | slud | 3des) policies+=,gemtc ;; esac # the others synchronise
	[ "$1" = slud ] || policies+=,fusion                            # whose tasks depend on one another
	"$replay" --quiet --json --gpu=titanx-maxwell --policy="$policies" --pagoda-batch-size=128 --task-copies="$2" --tables=runs,metrics --format=csv \
		-o "$dir/$2" "$dir/$1.trace.zst" | { tr -d '\n'; echo; } | pairs | sed "s/^/$2 $1 /" >>"$dir/all"
}

for w in mb fb bf conv dct mm slud 3des mpe; do
	params=()
	for p in ${size[$w]}; do params+=("--param=$p"); done
	[ "$w" = slud ] || params+=("--param=tasks=$tasks")
	"$replay" --quiet sample "tasks-$w" "${params[@]}" -o "$dir/$w.trace.zst" >/dev/null
	run "$w" on
	run "$w" off
done

table() { # on|off TITLE
	awk -v copies="$1" -v title="$2" '
		$1 == copies { t[$2, $3] = $4; if (!seen[$2]++) order[++n] = $2 }
		END {
			split("pagoda pagoda-batch hyperq gemtc fusion pthreads", p)
			paper["hyperq"] = 1.51; paper["gemtc"] = 1.69; paper["fusion"] = 1.79; paper["pthreads"] = 5.70
			printf "\n%s, ms (x: times as long as pagoda)\n%-10s", title, "workload"
			for (i = 1; i <= 6; i++) printf "%20s", p[i]
			print ""
			for (k = 1; k <= n; k++) {
				w = order[k]; printf "%-10s", w
				for (i = 1; i <= 6; i++) {
					c = t[w, p[i]]
					if (c == "") { printf "%20s", "-"; continue }
					r = c / t[w, "pagoda"]; logs[p[i]] += log(r); count[p[i]]++
					printf "%20s", sprintf("%.3f (%.2fx)", c / 1e6, r)
				}
				print ""
			}
			printf "%-10s", "geo. mean"
			for (i = 1; i <= 6; i++) printf "%20s", sprintf("%.2fx of %d", exp(logs[p[i]] / count[p[i]]), count[p[i]])
			printf "\n%-10s", "the paper"
			for (i = 1; i <= 6; i++) printf "%20s", p[i] in paper ? sprintf("%.2fx", paper[p[i]]) : "-"
			print ""
		}' "$dir/all"
}
table on "End to end"
table off "Without copies of inputs and outputs"

printf '\nMean latency of a task, us, and achieved occupancy of the GPU while a task runs, %%, of MM by number of tasks\n%-8s' tasks
for p in pagoda hyperq fusion; do printf '%20s' "$p"; done
echo
for n in 64 256 1024 4096; do
	"$replay" --quiet sample tasks-mm --param=tasks="$n" --param=n=32 --param=threads=128 -o "$dir/mm$n.trace.zst" >/dev/null
	"$replay" --quiet --gpu=titanx-maxwell --policy=pagoda,hyperq,fusion --tables=runs,metrics --format=csv -o "$dir/lat" "$dir/mm$n.trace.zst" >/dev/null
	printf '%-8s' "$n"
	for p in pagoda hyperq fusion; do
		awk -F, '/task_latency_mean_cycles/ { l = $2 / 1e3 } /gpu_occupancy_mean_pct/ { o = $2 } END { printf "%20s", sprintf("%.1f (%.1f %%)", l, o) }' \
			"$dir/lat/metrics/trace=mm$n/policy=$p/part-0.csv"
	done
	echo
done
