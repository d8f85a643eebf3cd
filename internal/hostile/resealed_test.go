package hostile

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/policies"
	"gpureplay/replay"
	"gpureplay/samples/samplestest"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"

	_ "gpureplay/samples/all"
)

// resealFor is how long valid traces are mutated. 0: a thousand mutations.
var resealFor = flag.Duration("reseal", 0, "how long traces are mutated, with right checksums, and replayed")

// Valid traces with some bytes changed, and right checksums over the changed blocks, are refused or replayed: nothing
// panics. Programs that are cut off, run out of time, or are refused by a policy in one line, are fine.
func TestResealedTraces(t *testing.T) {
	files := [][]byte{samplestest.File(t, "vecadd", "n=256"), samplestest.File(t, "dp-bfs", "scale=5"),
		tracetest.Encode(t, tracetest.Everything)}
	cfg, err := hardware.Preset("gk110-ppcs")
	if err != nil {
		t.Fatal(err)
	}
	cfg.SM.Count, cfg.SM.MaxCTAs, cfg.KMU.Entries, cfg.KMU.HWQs, cfg.Host.StorageMBs = 2, 2, 3, 2, 1e6
	sound, begin := 0, time.Now()
	for seed := uint64(0); ; seed++ {
		if *resealFor == 0 && seed == 1000 || *resealFor > 0 && time.Since(begin) > *resealFor {
			t.Logf("%d mutations, %d sound", seed, sound)
			break
		}
		r := rand.New(rand.NewPCG(seed, 45))
		if mutated(t, r, files[r.IntN(len(files))], cfg, seed) {
			sound++
		}
	}
	if sound == 0 {
		t.Error("no mutation leaves a sound trace: the mutations are too large")
	}
}

// mutated changes a trace, and replays it under a policy if it is sound.
func mutated(t *testing.T, r *rand.Rand, file []byte, cfg *hardware.Config, seed uint64) (sound bool) {
	defer func() {
		if x := recover(); x != nil {
			t.Errorf("seed %d: %v\n%s", seed, x, debug.Stack())
		}
	}()
	parts := takeApart(t, file)
	block := r.IntN(len(parts.blocks))
	raw := slices.Clone(parts.blocks[block])
	for range 1 + r.IntN(3) {
		at := r.IntN(len(raw))
		switch r.IntN(3) {
		case 0:
			raw[at] = byte(r.Uint32())
		case 1:
			raw[at] += byte(1 + r.IntN(3))
		default:
			raw[at] ^= 1 << r.IntN(8)
		}
	}
	changed := parts.with(block, raw)
	tr, err := container.NewReader(bytes.NewReader(changed), int64(len(changed)))
	if err != nil {
		return false
	}
	_, _ = tr.PathHashes() // an error, or numbers
	faults := 0
	if container.Verify(t.Context(), tr, func(error) { faults++ }) != nil || faults > 0 {
		return false
	}
	facts, err := policies.ProfileTrace(tr, host.NotTasks)
	if err != nil {
		t.Errorf("seed %d: a sound trace cannot be profiled: %v", seed, err)
		return true
	}
	apply, _, err := policies.Applicable(facts, nil)
	if err != nil || len(apply) == 0 {
		return true
	}
	_, err = replay.Run(t.Context(), &replay.Job{Trace: tr, Name: "t", Config: cfg, Alone: true, MaxCycles: 1 << 16,
		Choices: []*policies.Choice{apply[r.IntN(len(apply))]}})
	if err != nil && (strings.Contains(err.Error(), "\n") || strings.Contains(fmt.Sprint(err), "runtime error")) {
		t.Errorf("seed %d: %v", seed, err)
	}
	return true
}
