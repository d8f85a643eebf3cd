package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"gpureplay/replay"
	recorded "gpureplay/replay/capture"
	"gpureplay/trace"
)

func init() { register((*app).topCommand) }

var topKernels = rowsOf("top_kernels", "a device function of a run or a capture", `
run string: title of the run
function string: name of the device function
function_short string: the same demangled and short
kernels integer: kernels of the function
time_ns integer: sum of their durations
share_pct number?: of the run's time
longest_ns integer: the longest`)

var topStreams = rowsOf("top_streams", "a stream of a run or a capture", `
run string: title of the run
stream integer: the stream
kernels integer: its kernels
busy_ns integer: time with a kernel
gaps_ns integer: time between its kernels
longest_gap_ns integer: the longest gap`)

var topCopies = rowsOf("top_copies", "a kind of copy or file access of a run or a capture", `
run string: title of the run
kind string: h2d, d2h, prelude (file read), postlude (file written), memset
copies integer: occurrences
bytes integer: bytes
time_ns integer: sum of the times`)

var topPauses = rowsOf("top_pauses", "one of the longest times in which the GPU of a run or a capture did nothing", `
run string: title of the run
from_ns integer: its begin
time_ns integer: its length
after string: kernel, copy or file access before it; "": the begin of the program
before string: kernel, copy or file access behind it`)

var topOverlap = rowsOf("top_overlap", "the time of a run or a capture by its work", `
run string: title of the run
time_ns integer: end to end
kernels_ns integer: with a kernel
several_kernels_ns integer: with several kernels
copies_ns integer?: with a copy; null: unknown without the table stages
copies_beside_kernels_ns integer?: with a copy beside a kernel
files_ns integer?: with a file access
nothing_ns integer?: with nothing
waits_for_host_ns integer?: of nothing, until the host launches the next kernel
gaps_after_launch_ns integer?: of nothing, from the launch of the next kernel to its begin
no_call_recorded_ns integer?: of nothing, where the capture has no call that launched the next kernel`)

func (a *app) topCommand() *cobra.Command {
	var most int
	var policy string
	part := chooser{}
	c := &cobra.Command{
		Use:   "top CAPTURE|OUT|RANKS",
		Short: "where the time goes: kernels, streams, gaps, copies and overlap, in the terminal",
		Long: "top shows the kernels that take the time, how busy streams are and how long they pause, the copies, and\n" +
			"how much overlaps: for each run under a folder of tables, or for the recorded times of a capture. For a " +
			"folder of\n" +
			"captures, the ranks of a job, it shows their time side by side, and the rank that the others wait for.",
		Example: "  replay top rank0.json.gz\n  replay top replay-out\n  replay top replay-out --policy=ppcs -n 5\n" +
			"  replay top ranks/",
		Args: exactly(1, "one capture, trace, folder of tables or folder of captures"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if most < 1 {
				return usagef("top: -n %d: want how many kernels to show", most)
			}
			if info, err := os.Stat(args[0]); err == nil && info.IsDir() && !isTables(args[0]) {
				if done, err := a.ranks(cmd.Context(), &part, args[0]); done || err != nil {
					return err
				}
			}
			all, err := a.activities(cmd.Context(), &part, args[0], policy)
			if err != nil {
				return err
			}
			return a.top(all, policy, most)
		},
	}
	c.Flags().IntVarP(&most, "number", "n", 15, "`N` kernels to show")
	c.Flags().StringVar(&policy, "policy", "", "only runs under this `POLICY`")
	part.register(c.Flags())
	return c
}

// activities reads a folder of tables, or a trace.
func (a *app) activities(ctx context.Context, part *chooser, path, policy string) ([]*recorded.Activity, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() && isTables(path) {
		if *part != (chooser{}) {
			return nil, usagef("top: work is chosen of a trace; %s is a folder of tables", path)
		}
		return recorded.Activities(path)
	}
	r, err := part.open(ctx, a, path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	one, err := recorded.RecordedActivity(r, replay.TraceName(path))
	if err != nil || len(one.Kernels) > 0 {
		return []*recorded.Activity{one}, err
	}
	return a.replayed(ctx, part, path, policy)
}

// replayed replays a trace that has no recorded times, and returns the work of its GPU.
func (a *app) replayed(ctx context.Context, part *chooser, path, policy string) ([]*recorded.Activity, error) {
	dir, err := os.MkdirTemp("", "replay-top-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	a.note("%s has no recorded times, so that it is replayed; replay -o DIR keeps the tables, which top reads too", path)
	inner := &app{in: a.in, out: io.Discard, err: a.err, quiet: true}
	args := append([]string{"--quiet", "--no-baseline", "--tables=runs,kernels,stages", "-o", dir, path}, part.flags()...)
	if policy != "" {
		args = append(args, "--policy="+policy)
	}
	if err := inner.nested(ctx, args); err != nil {
		return nil, err
	}
	return recorded.Activities(dir)
}

func (a *app) top(all []*recorded.Activity, policy string, most int) error {
	rows := []map[string]any{}
	shown := 0
	for _, x := range all {
		if policy != "" && x.Policy != policy {
			continue
		}
		shown++
		if a.asJSON {
			rows = append(rows, topRows(x)...)
			continue
		}
		a.showActivity(x, most)
	}
	if shown == 0 {
		return fmt.Errorf("no run under policy %s is there", policy)
	}
	if a.asJSON {
		return a.printJSON(rows)
	}
	return nil
}

// topRows are the parts of a run for machines.
func topRows(x *recorded.Activity) (rows []map[string]any) {
	o, functions := x.Overlap(), x.Functions()
	names := make([]string, len(functions))
	for i := range functions {
		names[i] = functions[i].Name
	}
	short := trace.ShortNames(names)
	for i, t := range functions {
		m := map[string]any{"run": x.Title, "function": t.Name, "function_short": short[i], "kernels": t.Count,
			"time_ns":   t.Ns,
			"share_pct": nil, "longest_ns": t.MostNs}
		if o.Span > 0 {
			m["share_pct"] = 100 * float64(t.Ns) / float64(o.Span)
		}
		rows = append(rows, topKernels.of(m)...)
	}
	for _, t := range x.Streams() {
		rows = append(rows, topStreams.of(map[string]any{"run": x.Title, "stream": t.Stream, "kernels": t.Count,
			"busy_ns": t.Ns,
			"gaps_ns": t.GapNs, "longest_gap_ns": t.MostGapNs})...)
	}
	for _, t := range x.Links() {
		rows = append(rows, topCopies.of(map[string]any{"run": x.Title, "kind": t.Name, "copies": t.Count, "bytes": t.Bytes,
			"time_ns": t.Ns})...)
	}
	if !x.Unknown {
		for _, p := range x.Pauses(shownPauses) {
			rows = append(rows, topPauses.of(map[string]any{"run": x.Title, "from_ns": p.From, "time_ns": p.Ns, "after": p.After,
				"before": p.Before})...)
		}
	}
	all := map[string]any{"run": x.Title, "time_ns": o.Span, "kernels_ns": o.Kernels, "several_kernels_ns": o.Several,
		"copies_ns":                o.Copies,
		"copies_beside_kernels_ns": o.CopiesHidden, "files_ns": o.Files, "nothing_ns": o.Idle}
	d := x.Idle()
	all["waits_for_host_ns"], all["gaps_after_launch_ns"], all["no_call_recorded_ns"] = d.Host, d.Gaps, d.Unknown
	if x.Unknown {
		for _, key := range []string{"copies", "copies_beside_kernels", "files", "nothing", "waits_for_host",
			"gaps_after_launch", "no_call_recorded"} {
			all[key+"_ns"] = nil
		}
	}
	return append(rows, topOverlap.of(all)...)
}

// shownPauses is how many pauses top shows.
const shownPauses = 3

// showPauses prints the longest pauses of the GPU, with the work around them.
func (a *app) showPauses(x *recorded.Activity, function func(string) string) {
	pauses := x.Pauses(shownPauses)
	if len(pauses) == 0 {
		return
	}
	called := func(name string) string {
		if s := function(name); s != "" {
			return trace.ShortenMiddle(s, widestName/2)
		}
		return cmp.Or(linkNames.Replace(name), "the begin")
	}
	g := newGrid(a.out, "longest pauses", "of all", "from", "after", "before")
	g.right(1, 2, 3)
	span := float64(max(1, x.Overlap().Span))
	for _, p := range pauses {
		g.row(duration(p.Ns), fmt.Sprintf("%.1f %%", 100*float64(p.Ns)/span), duration(p.From), called(p.After),
			called(p.Before))
	}
	g.print()
}

// linkNames are the words for the stages of files.
var linkNames = strings.NewReplacer("prelude", "file read", "postlude", "file written")

func (a *app) showActivity(x *recorded.Activity, most int) {
	o := x.Overlap()
	share := func(ns int64) string {
		if o.Span == 0 {
			return "-"
		}
		return fmt.Sprintf("%.1f %%", 100*float64(ns)/float64(o.Span))
	}
	fmt.Fprintf(a.out, "%s: %s\n", x.Title, duration(o.Span))
	g := newGrid(a.out, "kernel", "runs", "time", "of all", "mean", "longest")
	g.right(2, 3, 4, 5, 6)
	functions := x.Functions()
	names := make([]string, len(functions))
	for i := range functions {
		names[i] = functions[i].Name
	}
	name := a.functionNames(names)
	for i, t := range functions {
		if i == most {
			break
		}
		g.row(name(t.Name), commas(int64(t.Count)), duration(t.Ns), share(t.Ns), duration(t.Ns/int64(t.Count)),
			duration(t.MostNs))
	}
	g.print()
	if n := len(functions) - most; n > 0 {
		fmt.Fprintf(a.out, "and %d more; -n shows them\n", n)
	}
	g = newGrid(a.out, "stream", "kernels", "busy", "of all", "gaps", "longest gap")
	g.right(1, 2, 3, 4, 5, 6)
	for _, t := range x.Streams() {
		g.row(t.Stream, commas(int64(t.Count)), duration(t.Ns), share(t.Ns), duration(t.GapNs), duration(t.MostGapNs))
	}
	g.print()
	if links := x.Links(); len(links) > 0 {
		g = newGrid(a.out, "copy or file", "runs", "bytes", "time", "of all", "GB/s")
		g.right(2, 3, 4, 5, 6)
		for _, t := range links {
			rate := "-"
			if t.Ns > 0 {
				rate = fmt.Sprintf("%.1f", float64(t.Bytes)/float64(t.Ns))
			}
			g.row(linkNames.Replace(t.Name), commas(int64(t.Count)), humanize.IBytes(uint64(t.Bytes)), duration(t.Ns),
				share(t.Ns), rate)
		}
		g.print()
	}
	if !x.Unknown {
		a.showPauses(x, name)
	}
	if x.Unknown {
		fmt.Fprintf(a.out, "a kernel %s of the time, several %s; of copies and files nothing is known without the "+
			"table stages\n", share(o.Kernels), share(o.Several))
		return
	}
	fmt.Fprintf(a.out, "a kernel %s of the time, several %s, copies %s (%s beside a kernel), files %s, nothing %s\n",
		share(o.Kernels), share(o.Several), share(o.Copies), share(o.CopiesHidden), share(o.Files), share(o.Idle))
	showIdle(a.out, x.Idle(), share)
}

// showIdle prints the causes of the time without work.
func showIdle(out io.Writer, d recorded.Idle, share func(int64) string) {
	var causes []string
	for _, c := range []struct {
		name string
		ns   int64
	}{{"waits for the host", d.Host}, {"gaps after a launch", d.Gaps}, {"no call recorded", d.Unknown}} {
		if c.ns > 0 {
			causes = append(causes, c.name+" "+share(c.ns))
		}
	}
	if len(causes) > 0 {
		fmt.Fprintf(out, "nothing, by its causes: %s\n", strings.Join(causes, ", "))
	}
}
