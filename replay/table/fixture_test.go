package table

import (
	"math"
	"testing"

	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/trace"
)

// testdata/expected.json lists the rows below, value by value: for each table one row in which every field differs,
// and one in which all that can be absent is.

const (
	fixtureTrace  = "bfs-graph 1/32"
	fixturePolicy = "spawn+dtbl,threshold=32"
	fixtureMHz    = 706
)

var fixtureMetadata = []KeyValue{{"version", "v0.0.0-test"}, {"config", "sm.count = 13\nname = \"k20c\"\n"},
	{"trace_hash", "a1b2"}}

func openFixture(t testing.TB, dir, policy, format string) *Set {
	t.Helper()
	s, err := Open(Options{Dir: dir, Trace: fixtureTrace, Policy: policy, GPU: "k20c", Format: format,
		Metadata: fixtureMetadata,
		ClockMHz: fixtureMHz})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fill appends the rows of the fixture.
func fill(s *Set) {
	fillRun(s)
	fillWork(s)
	fillDevice(s)
	s.Diagnostic(&Diagnostic{Name: "unknown_opcode", Severity: trace.DataLoss, Count: math.MaxUint64,
		Help: "timed as integer: \"quoted\", with a comma"})
	s.Diagnostic(&Diagnostic{Name: "few_kernels", Severity: trace.Info, Count: 0, Help: "größer als nötig"})
	s.Audit(&Audit{Rule: "sm_capacity", Time: 77, What: "SM 3 holds 17 CTAs of 16"})
	s.Audit(&Audit{Rule: "accounts", Time: model.Unset, What: ""})
}

// fixtureRuns are the rows of runs.
func fixtureRuns() []*Run {
	return []*Run{{
		Fidelity: trace.FidelityWarp, Baselines: "flat,cdp", Incomplete: true, MaxWarps: 64, RecordedNs: 900_000,
		Summary: model.Summary{
			Cycles: 706_000, Kernels: 2, KernelsInferred: 1, CTAs: 1 << 33, Warps: 5, WarpInsts: 100, ThreadInsts: 1600,
			Events:           math.MaxUint64,
			ActiveWarpCycles: 3200, ActiveSMCycles: 100, IssueSlots: 400, IssuedInsts: 100,
			Memory: []memory.Record{
				{Level: "l1", Index: 0, Accesses: 30, Hits: 20}, {Level: "l1", Index: 1, Accesses: 10, Hits: 10},
				{Level: "l2", Index: 0, Accesses: 1, Hits: 1}, {Level: "l2", Index: -1, Accesses: 8, Hits: 1},
				{Level: "dram", Index: 0, ReadSectors: 6, WriteSectors: 2, BusyCycles: 10},
				{Level: "dram", Index: 1, ReadSectors: 0, WriteSectors: 0, BusyCycles: 6},
			},
			LaunchesRequested: 7, LaunchesMade: 6, LaunchesInlined: 1, LaunchesCoalesced: 4, PendingLaunchPeakBytes: 4096,
			Extra: []model.Metric{{Name: "agt_spilled_pct", Value: 12.5}, {Name: "t_cta_cycles", Value: math.NaN()}},
		},
		WaitingMean: 10.5, WaitingP50: 10, WaitingP95: 20, WaitingP99: 30,
	}, {
		WaitingMean: math.NaN(), WaitingP50: model.Unset, WaitingP95: model.Unset, WaitingP99: model.Unset,
	}}
}

func fillRun(s *Set) {
	for _, r := range fixtureRuns() {
		s.Run(r)
	}
	machine := &hardware.Config{
		SM: hardware.SMConfig{Count: 13, MaxWarps: 64, MaxThreads: 2048,
			MaxCTAs: 16, Registers: 65536, SharedBytes: 49152, Schedulers: 4, IssueWidth: 2},
		Clock: hardware.ClockConfig{CoreMHz: 706, DRAMMHz: 2600},
		L1:    hardware.L1Config{Bytes: 16384}, L2: hardware.L2Config{Bytes: 1572864, Slices: 10},
		DRAM: hardware.DRAMConfig{Channels: 5, BusBytes: 8, DataRate: 2},
		Host: hardware.HostConfig{PCIeGBs: 6.5, PageBytes: 4096}, KMU: hardware.KMUConfig{HWQs: 32, Entries: 31},
	}
	s.Machine(&Machine{Config: machine, TraceHash: "a1b2", Tool: "v0", Command: "replay t"})
	s.Machine(&Machine{Config: &hardware.Config{}, Tool: "v0"})
	s.Call(&Call{Op: &trace.HostOp{Kind: trace.OpLaunch, Kernel: 3, Stream: 7, Thread: 1, Ns: 5}, Function: "k<int>",
		Recorded: &trace.Recorded{HostNs: 100, StartNs: 120, DurationNs: 40}, Scope: "step / layer"})
	s.Call(&Call{Op: &trace.HostOp{Kind: trace.OpCopyH2D, Bytes: 4096, Ns: 9},
		Recorded: &trace.Recorded{HostNs: -1, StartNs: 200, DurationNs: 10}})
	s.Setting(&Setting{OfMachine, "sm.count", "13", "15"})
	s.Setting(&Setting{OfPolicy, "match", "kde", ""})
	s.Setting(&Setting{OfRun, "launch", "3500", ""})
	s.Performance(&Performance{WallSeconds: 0.5, EventsPerSecond: 2e6, WarpInstsPerSec: 5e7, L1SectorsPerSec: 1.5e7,
		L2SectorsPerSec:   4e6,
		DecodeMBPerSecond: 900.25, PeakRSSBytes: 1 << 34})
	nan := math.NaN()
	s.Performance(&Performance{WallSeconds: nan, EventsPerSecond: nan, WarpInstsPerSec: nan, L1SectorsPerSec: nan,
		L2SectorsPerSec:   nan,
		DecodeMBPerSecond: nan})
	s.Memory(&memory.Record{Level: "dram", Index: 5, Accesses: 1, Hits: 2, Misses: 3, ReadSectors: 4, WriteSectors: 5,
		RowHits: 6, BusyCycles: 7})
	s.Memory(&memory.Record{Level: "l2", Index: -1, Accesses: 1}) // a sum beside its parts: no row
	s.Memory(&memory.Record{Level: "l2", Accesses: math.MaxUint64})
}

func fillWork(s *Set) {
	o := s.Observer()
	o.Kernel(&model.KernelRecord{
		ID: 4_000_000_000, Function: "void bfs<int>(int*, int)", Device: true, Parent: 4_294_967_294, Stream: math.MaxUint64,
		Fidelity: trace.FidelityCTA, Inferred: trace.InferredOrder, Grid: trace.Dim3{2, 3, 4},
		Block: trace.Dim3{32, 5, 6}, Registers: 40, SharedBytes: 49152,
		CTAs: 24, Arrive: 100, Dispatch: 110, FirstCTA: 120, LastCTA: 130, End: 826, WarpInsts: 1000, ThreadInsts: 32000,
		Work: model.KernelWork{ActiveSMCycles: 100, PlaceCycles: 6400,
			WarpCycles: 3200, StallTimes: [exec.NumStalls]model.Time{1, 2, 3, 4, 5, 6, 7},
			Traffic: memory.Traffic{L1Accesses: 80, L1Hits: 60, L2Accesses: 20, L2Hits: 5, DRAMReads: 15, DRAMWrites: 2}},
		Recorded: &trace.Recorded{HostNs: 0, StartNs: 5, DurationNs: 995},
	})
	o.Kernel(&model.KernelRecord{
		ID: 0, Function: "", Parent: model.NoKernel, Fidelity: trace.FidelityNone,
		Arrive: model.Unset, Dispatch: model.Unset, FirstCTA: model.Unset, LastCTA: model.Unset, End: model.Unset,
		Recorded: &trace.Recorded{HostNs: -1, StartNs: -1, DurationNs: -1},
	})
	o.Kernel(&model.KernelRecord{
		ID: 1, Function: "f", Parent: 0, Fidelity: trace.FidelityKernel,
		Inferred: trace.InferredAll, Arrive: 0, Dispatch: 0, FirstCTA: 0, LastCTA: 0, End: 1 << 40,
	})
	o.CTA(&model.CTARecord{
		Kernel: 3, CTA: 9, Child: 12, SM: 25, Dispatch: 200, Start: 210, End: 300, WarpInsts: 64, Active: 40,
		StallTimes: [exec.NumStalls]model.Time{1, 2, 3, 4, 5, 6, 7},
	})
	o.CTA(&model.CTARecord{Kernel: math.MaxUint32, CTA: 0, Child: model.NoKernel, Dispatch: 0, Start: model.Unset,
		End: model.Unset})
	o.Stage(&model.StageRecord{Stage: model.StageH2D, Kernel: 6, Array: 0, Start: 0, End: 706, Bytes: 1 << 63})
	o.Stage(&model.StageRecord{Stage: model.StageProfiler, Kernel: model.NoKernel, Array: trace.NoArray,
		Start: model.Unset, End: model.Unset})
	o.Task(&model.TaskRecord{
		Kernel: 8, Spawn: 1, Copied: 2, Schedulable: 3, FirstWarp: 4, End: 5, Back: 354, Worker: 0, Warps: 4,
		SharedBytes: 2048,
	})
	o.Task(&model.TaskRecord{
		Spawn: model.Unset, Copied: model.Unset, Schedulable: model.Unset,
		FirstWarp: model.Unset, End: model.Unset, Back: model.Unset, Worker: -1,
	})
}

func fillDevice(s *Set) {
	o := s.Observer()
	o.Launch(&model.LaunchRecord{
		Parent: 1, CTA: 2, Warp: 3, Lane: 31, Child: 4, Time: 50, Workload: 300, CTAs: 4, Marked: true,
		Decision: model.Group, Reason: "cheaper",
		Noted:    &model.Notes{100, 4, 50, 5000, 120, 32331, 36000},
		Eligible: true, AGT: 0, Spilled: true, Arrive: 60, FirstCTA: 90, FootprintBytes: 512,
	})
	o.Launch(&model.LaunchRecord{Decision: model.Inline, AGT: -1, Time: 7, Arrive: model.Unset, FirstCTA: model.Unset})
	o.Page(&model.PageRecord{Time: 9, Page: 1 << 51, Array: 3, From: 1, To: 2, Ready: true, Readers: 10, Writers: 11})
	o.Page(&model.PageRecord{Time: 0, Page: 0, Array: trace.NoArray, From: model.NoKernel, To: model.NoKernel})
	o.Sample(&model.SampleRecord{
		Start: 0, End: 1024, ParentCTAs: 1, ChildCTAs: 2, ActiveWarps: 3, Registers: 4, SharedBytes: 5, ResidentCTAs: 6,
		PendingKernels: 7, KDEUsed: 8, AGTUsed: 9, WarpInsts: 10, L2Sectors: 10, DRAMReads: 20, DRAMWrites: 3,
		Kernels: []uint32{0, math.MaxUint32}, PagesOwned: []uint32{20, 21}, SMsHeld: []uint32{13, 0},
		CTAsFinished: []uint32{100, 4_000_000_000},
	})
	o.Sample(&model.SampleRecord{Start: 1024, End: 2048})
	o.Sample(&model.SampleRecord{Start: 2048, End: 3072, Kernels: []uint32{5}, PagesOwned: []uint32{1},
		SMsHeld:      []uint32{2},
		CTAsFinished: []uint32{3}})
}

// fixtureMetric is a summary with one figure of the given name.
func fixtureMetric(name string) model.Summary {
	return model.Summary{Extra: []model.Metric{{Name: name, Value: 1}}}
}
