#!/bin/sh
# The tables of POLICIES.md on CRCS and PPCS: pipelines.sh [REPLAY] (default bin/replay). Takes a few minutes.
set -eu
replay=${1:-bin/replay}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# trace NAME [KEY=VALUE...]: generates a workload, once.
trace() {
	name=$1
	shift
	file=$work/$name$(printf '%s' "$*" | tr -c 'a-z0-9\n' -).trace.zst
	if [ ! -f "$file" ]; then
		set -- $(for p; do printf ' --param=%s' "$p"; done)
		"$replay" --quiet sample "$name" "$@" -o "$file" >/dev/null
	fi
	echo "$file"
}

# speedups TRACE POLICIES: the speedup of each policy, in the order asked.
speedups() {
	"$replay" --quiet --json --gpu=gk110-ppcs --policy="$2" --tables=runs -o "$work/out" "$1" |
		awk '/"speedup":/ { printf "%9.3f", $2 }'
}

# shares TRACE: what the stages of the serial program take of its time, in per cent.
shares() {
	rm -rf "$work/out"
	"$replay" --quiet --gpu=gk110-ppcs --policy=serial --tables=stages --format=csv -o "$work/out" "$1" >/dev/null
	cat "$work"/out/stages/*/*/*.csv | awk -F, 'NR > 1 { t[$1] += $5 - $4; all += $5 - $4 }
		END { n = split("prelude h2d kernel d2h postlude", s, " "); for (i = 1; i <= n; i++) printf "%9.1f", 100 * t[s[i]] / all }'
}

echo "Speedup over serial. The paper: CRCS with PPCS 1.33 on average and up to 1.67, single-overlap 1.11 on average, PPCS 1.14 over FIFO."
printf '%-6s%9s%9s%9s%9s%9s%9s%9s\n' "" nocopy single crcs ppcs oracle "data" "o.+data"
for w in 3mm stn hsp bfs lpc conv path; do
	printf '%-6s' "$w"
	speedups "$(trace $w)" "serial,nocopy,single-overlap,crcs,ppcs,oracle,ppcs,pages=data,oracle,ppcs-pages=data" |
		cut -c10- | tee -a "$work/all"
done
awk 'NF { n++; for (i = 1; i <= NF; i++) s[i] += $i } END { printf "%-6s", "mean"; for (i = 1; i in s; i++) printf "%9.3f", s[i] / n; print "" }' "$work/all"
awk 'NF { n++; a += $4 / $3; b += $6 / $3 } END { printf "PPCS over FIFO (crcs): %.3f on average, with data %.3f\n", a / n, b / n }' "$work/all"

echo
echo "What keeps each back: speedup over serial"
printf '%-36s%9s\n' "stn, serial filling SM by SM" "$(speedups "$(trace stn)" serial,serial,cta=fill | cut -c10-)"
printf '%-36s%9s\n' "3mm, crcs, arrays read in sequence" "$(speedups "$(trace 3mm)" serial,crcs,prelude-order=sequential | cut -c10-)"
printf '%-36s%9s\n' "3mm, ppcs, arrays read in sequence" "$(speedups "$(trace 3mm)" serial,ppcs,prelude-order=sequential | cut -c10-)"

echo
echo "HSP, number of kernels: speedup over serial"
printf '%-9s%9s%9s%9s\n' kernels crcs ppcs oracle
for k in 5 10 20 50 100; do
	printf '%-9s%s\n' $k "$(speedups "$(trace hsp kernels=$k)" serial,crcs,ppcs,oracle | cut -c10-)"
done

echo
echo "Order of the prelude, PPCS: speedup over serial (random: seeds 1, 2, 3)"
printf '%-6s%12s%12s%9s%9s%9s\n' "" interleaved sequential random random random
for w in 3mm hsp lpc conv; do
	printf '%-6s   %s\n' $w "$(speedups "$(trace $w)" serial,ppcs,ppcs,prelude-order=sequential,ppcs,prelude-order=random,ppcs,prelude-order=random,prelude-seed=2,ppcs,prelude-order=random,prelude-seed=3 | cut -c10-)"
done

echo
echo "Stages of the serial program, per cent of its time"
printf '%-18s%9s%9s%9s%9s%9s\n' "" prelude h2d kernel d2h postlude
for n in 128 256 512 1024; do
	printf '%-18s%s\n' "hsp n=$n" "$(shares "$(trace hsp n=$n)")"
done
for w in 3mm stn bfs lpc conv path; do
	printf '%-18s%s\n' $w "$(shares "$(trace $w)")"
done
