package reserve

import (
	"math/rand/v2"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/model/memory/tags"
)

// perCycle moves packets through a crossbar cycle by cycle: each input's oldest packet
// requests its output, which takes one, from the inputs in turn. It returns the cycle
// in which the last has gone. Queues hold destinations.
func perCycle(queues [][]int, outputs int) (cycles int) {
	next := make([]int, outputs) // whose turn it is, as iSLIP has it
	left := 0
	for _, q := range queues {
		left += len(q)
	}
	for ; left > 0; cycles++ {
		granted := map[int]bool{} // inputs
		for o := range outputs {
			for i := range queues {
				in := (next[o] + i) % len(queues)
				if q := queues[in]; len(q) > 0 && q[0] == o && !granted[in] {
					queues[in], granted[in], next[o] = q[1:], true, in+1
					left--
					break
				}
			}
		}
	}
	return cycles
}

// A crossbar whose heads of line block passes as much as one that is stepped cycle by cycle, though requests are
// timed one after another. Packets go to random slices, by themselves and in runs.
func TestHeadOfLine(t *testing.T) {
	for _, preset := range []string{"qv100", "rtx3070"} {
		for _, run := range []int{1, 4, 8} {
			blocking, exact := saturated(t, preset, run, true)
			free, _ := saturated(t, preset, run, false)
			t.Logf("%s, runs of %d packets to a slice: %.1f packets a cycle, cycle by cycle %.1f; %.1f if none stops another",
				preset, run, blocking, exact, free)
			if blocking < 0.96*exact || blocking > 1.04*exact {
				t.Errorf("%s: %.1f packets a cycle, cycle by cycle %.1f", preset, blocking, exact)
			}
		}
	}
}

// saturated returns how many packets a cycle pass where every SM has many, each run of
// them to a random slice.
func saturated(t *testing.T, preset string, run int, blocks bool) (timed, exact float64) {
	cfg, err := hardware.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Icnt.HeadOfLine, cfg.Memory.Engine = blocks, hardware.EngineReserve
	m := New(cfg)
	r := rand.New(rand.NewPCG(1, 2))
	queues := make([][]int, cfg.SM.Count)
	const rounds, chunk = 60, 32
	var last Time
	for range rounds {
		for sm := range queues {
			for range chunk / run {
				sector := r.Uint64N(1<<30) << tags.ChunkShift
				for range run {
					queues[sm] = append(queues[sm], m.Mapping.Slice(sector))
					_, at := m.request(&m.ports[sm], sector, 0, 1)
					last = max(last, at)
				}
			}
		}
	}
	packets := float64(rounds * chunk * cfg.SM.Count)
	return packets / float64(last-m.latency+1), packets / float64(perCycle(queues, cfg.L2.Slices))
}
